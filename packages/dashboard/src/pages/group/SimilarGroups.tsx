/** Unresolved groups with errors of the same type, which may be the same error. */
import { SearchQuery } from "@errata/core/search"
import { groupsQuery } from "../../data/groups.js"
import { useQuery } from "../../data/query.js"
import { merge } from "../../data/triage.js"
import { ErrorTitle } from "../../parts/ErrorTitle.js"
import { Link } from "../../parts/Link.js"
import { focusHeading } from "../../parts/Page.js"
import { quoted } from "../../parts/query/QueryText.js"
import { Time } from "../../parts/Time.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { type GroupIds, groupPathOf } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"

export const SimilarGroups = ({
  group: { error_type },
  ids,
  mayChange,
}: {
  readonly ids: GroupIds
  readonly group: ShownGroup
  readonly mayChange: boolean
}) => {
  const { groupId, projectId } = ids
  const query = `is:unresolved error_type:${quoted(error_type)}`
  const page = useQuery({
    ...groupsQuery({ projectId, query, sort: "last_seen" }),
    enabled: error_type !== "" && query.length <= SearchQuery.maxQueryLength,
  }).data
  const similar = (page?.groups ?? []).filter(({ id }) => id !== groupId).slice(0, shownGroups)
  if (similar.length === 0) return null
  return (
    <section class="card merges" aria-labelledby="similar-title">
      <header class="card-head">
        <h2 id="similar-title">Unresolved groups of the same type</h2>
      </header>
      <table class="values">
        <tbody>
          {similar.map((one) => (
            <tr key={one.id}>
              <td>
                <Link to={groupPathOf({ projectId, groupId: one.id })}>
                  <ErrorTitle of={one} />
                </Link>
                <div class="faint">{line(cut(one.culprit, 160)) || "no location"}</div>
              </td>
              <td class="num">{counted(one.reports_count, "report")}</td>
              <td>
                <Time value={one.last_occurred_at} />
              </td>
              <td class="right">
                {mayChange && (
                  <button
                    type="button"
                    onClick={async () => {
                      if (await merge({ project_id: projectId, id: groupId }, [one])) focusHeading()
                    }}
                  >
                    Merge into this group
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

// internal

const shownGroups = 5
