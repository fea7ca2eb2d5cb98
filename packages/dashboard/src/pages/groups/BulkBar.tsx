import type { Row } from "../../data/groups.js"
import { mayNotChange } from "../../data/projects.js"
import { setResolved } from "../../data/triage.js"
import { AssignMenu } from "../../parts/AssignMenu.js"
import { MuteMenu } from "../../parts/MuteMenu.js"
import { ResolveMenu } from "../../parts/ResolveMenu.js"
import { count } from "../../text/Numbers.js"
import type { GroupList } from "./GroupList.js"

/** Actions on the ticked groups, and on no others. */
export const BulkBar = ({
  list,
  canChange,
  onMerge,
}: {
  readonly list: GroupList
  /** True if the caller may change groups of the project. */
  readonly canChange: boolean
  readonly onMerge: () => void
}) => {
  const rows = list.selectedRows.value
  if (rows.length === 0) return null
  return (
    <div class="bulk" role="toolbar" aria-label="Selected groups">
      <b role="status">
        {count(rows.length)} <span>selected</span>
      </b>
      {canChange ? <Actions rows={rows} onMerge={onMerge} /> : <span class="faint">{mayNotChange}</span>}
      <button type="button" aria-label="Clear the selection" onClick={() => list.selectAll(false)}>
        ✕
      </button>
    </div>
  )
}

// internal

const Actions = ({ rows, onMerge }: { readonly rows: ReadonlyArray<Row>; readonly onMerge: () => void }) => {
  const isResolved = rows.every(({ resolved }) => resolved)
  return (
    <>
      <span class="split">
        <button type="button" class="primary" onClick={() => setResolved(rows, !isResolved)}>
          {isResolved ? "Reopen" : "Resolve"} <kbd>r</kbd>
        </button>
        <ResolveMenu id="bulk-resolve-in" groups={rows} class="primary" />
      </span>
      <MuteMenu
        id="bulk-mute"
        groups={rows}
        isMuted={rows.some(({ muted }) => muted)}
        label={
          <>
            Mute <kbd>m</kbd>
          </>
        }
      />
      <AssignMenu
        id="bulk-assign"
        groups={rows}
        isAssigned={rows.some(({ assignee_id }) => assignee_id !== null)}
        label={
          <>
            Assign <kbd>a</kbd>
          </>
        }
      />
      <button type="button" onClick={onMerge}>
        Merge… <kbd>M</kbd>
      </button>
    </>
  )
}
