import { setResolved } from "../../data/triage.js"
import { AssignMenu } from "../../parts/AssignMenu.js"
import { MuteMenu } from "../../parts/MuteMenu.js"
import { count } from "../../text/Numbers.js"
import type { GroupList } from "./GroupList.js"

/** Actions on the ticked groups, and on no others. */
export const BulkBar = ({ list, onMerge }: { readonly list: GroupList; readonly onMerge: () => void }) => {
  const rows = list.selectedRows.value
  const [first] = rows
  if (first === undefined) return null
  const isResolved = rows.every(({ resolved }) => resolved)
  return (
    <div class="bulk" role="toolbar" aria-label="Selected groups">
      <b role="status">
        {count(rows.length)} <span>selected</span>
      </b>
      <button type="button" class="primary" onClick={() => setResolved(rows, !isResolved)}>
        {isResolved ? "Reopen" : "Resolve"} <kbd>r</kbd>
      </button>
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
        projectId={first.project_id}
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
      <button type="button" aria-label="Clear the selection" onClick={() => list.selectAll(false)}>
        ✕
      </button>
    </div>
  )
}
