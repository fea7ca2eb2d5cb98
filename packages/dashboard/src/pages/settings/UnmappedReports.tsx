/** Lists groups whose newest report has unmapped frames, with the reasons. */
import { useState } from "preact/hooks"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { checkedGroups, mapAgain, type Unmapped, unmappedQuery } from "../../data/unmapped.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { useAction } from "../../parts/useAction.js"
import { errorTitle } from "../../text/ErrorTitle.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { reportPath } from "../group/paths.js"
import { adviceOf } from "../group/SourcemapAdvice.js"

export const UnmappedReports = ({
  projectId,
  mayRetry,
}: {
  readonly projectId: number
  readonly mayRetry: boolean
}) => {
  const [isAsked, setAsked] = useState(false)
  const retry = useRetry()
  const found = useQuery({ ...unmappedQuery(projectId), enabled: isAsked })
  const check = () => (isAsked ? void found.refetch() : setAsked(true))
  return (
    <Card
      title="Reports that are not mapped"
      actions={
        <>
          {mayRetry && isAsked && (found.data ?? []).length > 1 && (
            <button type="button" aria-disabled={retry.isBusy} onClick={() => retry.run(found.data ?? [])}>
              Map all again
            </button>
          )}
          <button type="button" aria-disabled={found.isFetching} onClick={check}>
            {found.isFetching ? "Checking…" : isAsked ? "Check again" : "Check"}
          </button>
        </>
      }
    >
      <div role="status">
        {isAsked ? (
          <Loaded query={found} name="reports">
            {(all) => <Found all={all} mayRetry={mayRetry} />}
          </Loaded>
        ) : (
          <p class="nothing">Check the newest report of the {checkedGroups} groups that were seen last.</p>
        )}
      </div>
    </Card>
  )
}

// internal

const useRetry = () => {
  const { isBusy, run } = useAction("No report was queued.")
  return {
    isBusy,
    run: (all: ReadonlyArray<Unmapped>) =>
      run(async () => {
        const rejected = await mapAgain(all.map(({ report }) => report))
        const queued = `Queued ${counted(all.length - rejected, "report")}. Check again in a moment.`
        notify(rejected === 0 ? queued : `${queued} ${counted(rejected, "report")} cannot be mapped yet.`)
      }),
  }
}

const Found = ({ all, mayRetry }: { readonly all: ReadonlyArray<Unmapped>; readonly mayRetry: boolean }) =>
  all.length === 0 ? (
    <p class="nothing">All reports that need a source map are mapped.</p>
  ) : (
    <ul class="rows">
      {all.map((unmapped) => (
        <Row key={unmapped.group.id} unmapped={unmapped} mayRetry={mayRetry} />
      ))}
    </ul>
  )

const Row = ({ unmapped, mayRetry }: { readonly unmapped: Unmapped; readonly mayRetry: boolean }) => {
  const { group, report } = unmapped
  const title = errorTitle(group, 120)
  const retry = useRetry()
  return (
    <li>
      <div class="grow">
        <Link class="row-link" to={reportPath({ projectId: group.project_id, groupId: group.id }, report.id)}>
          {title}
        </Link>
        {report.release_version !== "" && <p class="faint">{line(cut(report.release_version, 100))}</p>}
        <p class="warning">{adviceOf(report.sourcemap_failure_code)}</p>
      </div>
      {mayRetry && (
        <button
          type="button"
          aria-disabled={retry.isBusy}
          aria-label={`Map the report of ${title} again`}
          onClick={() => retry.run([unmapped])}
        >
          Map again
        </button>
      )}
    </li>
  )
}
