/** Finds groups whose newest report is not mapped, and the reasons. */
import { useState } from "preact/hooks"
import { useQuery } from "../../data/query.js"
import { checkedGroups, type Unmapped, unmappedQuery } from "../../data/unmapped.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cut, line } from "../../text/SafeText.js"
import { reportPath } from "../group/paths.js"
import { adviceOf } from "../group/SourcemapAdvice.js"

export const UnmappedReports = ({ projectId }: { readonly projectId: number }) => {
  const [isAsked, setAsked] = useState(false)
  const found = useQuery<ReadonlyArray<Unmapped>>({ ...unmappedQuery(projectId), enabled: isAsked })
  const check = () => (isAsked ? void found.refetch() : setAsked(true))
  return (
    <Card
      title="Reports that are not mapped"
      actions={
        <button type="button" aria-disabled={found.isFetching} onClick={check}>
          {found.isFetching ? "Checking…" : isAsked ? "Check again" : "Check"}
        </button>
      }
    >
      <div role="status">
        {isAsked ? (
          <Loaded query={found} name="reports">
            {(all) => <Found all={all} />}
          </Loaded>
        ) : (
          <p class="nothing">Check the newest report of the {checkedGroups} groups that were seen last.</p>
        )}
      </div>
    </Card>
  )
}

// internal

const Found = ({ all }: { readonly all: ReadonlyArray<Unmapped> }) =>
  all.length === 0 ? (
    <p class="nothing">All reports that need a source map are mapped.</p>
  ) : (
    <ul class="rows">
      {all.map(({ group, report }) => (
        <li key={group.id}>
          <div class="grow">
            <Link
              class="row-link"
              to={reportPath({ projectId: group.project_id, groupId: group.id }, report.id)}
            >
              {line(cut(`${group.error_type || "Error"}: ${group.error_message}`, 120))}
            </Link>
            {report.release_version !== "" && <p class="faint">{line(cut(report.release_version, 100))}</p>}
            <p class="warning">{adviceOf(report.sourcemap_failure_code)}</p>
          </div>
        </li>
      ))}
    </ul>
  )
