/** The groups that were merged into this one. Each merge can be undone. */
import type { Merge } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useNames } from "../../data/me.js"
import { mergesQuery, unmerge } from "../../data/merges.js"
import { useQuery } from "../../data/query.js"
import { ErrorTitle } from "../../parts/ErrorTitle.js"
import { focusHeading } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Time } from "../../parts/Time.js"
import { cut, line } from "../../text/SafeText.js"
import type { GroupIds } from "./paths.js"

export const MergesTab = ({ ids, mayChange }: { readonly ids: GroupIds; readonly mayChange: boolean }) => {
  const { data, error } = useQuery(mergesQuery(ids.projectId, ids.groupId))
  if (data === undefined) {
    return error === null ? (
      <Skeleton label="the merges" />
    ) : (
      <Problem title="The merges could not be loaded." error={error} />
    )
  }
  if (data.merges.length === 0) {
    return (
      <p class="nothing">
        No group was merged into this one. Tick groups in the list and press <kbd>M</kbd> to merge them.
      </p>
    )
  }
  return (
    <div class="card merges">
      <table class="values">
        <thead>
          <tr>
            <th scope="col">Merged group</th>
            <th scope="col">By</th>
            <th scope="col">When</th>
            <th scope="col">
              <span class="visually-hidden">Undo</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.merges.map((merge) => (
            <Row key={merge.id} ids={ids} merge={merge} mayChange={mayChange} />
          ))}
        </tbody>
      </table>
      {data.has_more && <p class="card-foot faint">Older merges are in the notes of the group.</p>}
    </div>
  )
}

// internal

const Row = ({
  ids,
  mayChange,
  merge,
}: {
  readonly ids: GroupIds
  readonly merge: Merge
  readonly mayChange: boolean
}) => {
  const nameOf = useNames()
  const [isBusy, setBusy] = useState(false)
  return (
    <tr>
      <td>
        <ErrorTitle of={{ error_type: merge.source_error_type, error_message: merge.source_error_message }} />
        <div class="faint">
          Group {merge.source_id}
          {merge.target_id !== ids.groupId && ` by way of group ${merge.target_id}`}
        </div>
      </td>
      <td>{line(cut(nameOf(merge.merged_by) ?? "Errata", 100))}</td>
      <td>
        <Time value={merge.merged_at} />
      </td>
      <td class="right">
        {mayChange && (
          <button
            type="button"
            aria-disabled={isBusy}
            onClick={async () => {
              if (isBusy) return
              setBusy(true)
              if (await unmerge(ids.projectId, ids.groupId, merge)) focusHeading()
              setBusy(false)
            }}
          >
            Unmerge
          </button>
        )}
      </td>
    </tr>
  )
}
