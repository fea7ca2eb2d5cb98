/** A report: its stack, breadcrumbs and details, and the distribution of the group's tags. */
import type { ReportDetail } from "@errata/api/promise"
import type { QueryObserverResult } from "@tanstack/query-core"
import { isMissing } from "../../data/failure.js"
import { useKeys } from "../../keys/Keys.js"
import { CopyButton } from "../../parts/CopyButton.js"
import { Link } from "../../parts/Link.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Text } from "../../parts/Text.js"
import { Pairs, pairsOf, Value } from "../../parts/Value.js"
import { Activity } from "./Activity.js"
import { BreadcrumbList } from "./BreadcrumbList.js"
import { flip, stackFrames, stackRaw, stackWrap } from "./choices.js"
import { Distribution } from "./Distribution.js"
import { type GroupIds, groupPathOf } from "./paths.js"
import { Sections } from "./Sections.js"
import type { ShownGroup } from "./ShownGroup.js"
import { SourcemapStatus } from "./SourcemapStatus.js"
import { StackTools, StackTrace } from "./stack/StackTrace.js"
import { Threads } from "./stack/Threads.js"

interface Props {
  readonly ids: GroupIds
  readonly group: ShownGroup | undefined
  readonly query: QueryObserverResult<ReportDetail>
  /** Null for the newest report. */
  readonly reportId: number | null
  readonly mayChange: boolean
}

export const ReportTab = ({ group, ids, mayChange, query, reportId }: Props) => {
  useKeys("Stack trace", [
    {
      key: "f",
      label: "All frames, or those of the application",
      run: () => flip(stackFrames, "in-app", "all"),
    },
    { key: "w", label: "Wrap long lines", run: () => flip(stackWrap, "off", "on") },
    { key: "R", label: "As text", run: () => flip(stackRaw, "off", "on") },
  ])
  const { data: report, error } = query
  return (
    <div class="columns">
      <div>
        {report !== undefined && group !== undefined ? (
          <Report key={report.id} group={group} report={report} />
        ) : error === null ? (
          <div class="card">
            <Skeleton rows={6} label="the report" />
          </div>
        ) : isMissing(error) ? (
          <Gone ids={ids} isNewest={reportId === null} />
        ) : (
          <Problem title="The report could not be loaded." error={error} />
        )}
      </div>
      <aside aria-label="The group">
        <Distribution ids={ids} reports={group?.reports_count} />
        <Activity ids={ids} mayChange={mayChange} total={group?.notes_count} />
      </aside>
    </div>
  )
}

// internal

const unreadableText: Readonly<Record<NonNullable<ReportDetail["details_unreadable"]>, string>> = {
  missing: "The details of this report are missing from the object store.",
  damaged: "The details of this report are damaged.",
  unreachable: "The object store with the details of this report did not respond. Try again later.",
  no_store: "The details of this report are in an object store, and this server has none.",
}

const Report = ({ group, report }: { readonly group: ShownGroup; readonly report: ReportDetail }) => (
  <>
    {report.details_purged && (
      <div class="banner">
        <p>
          <b>Details removed by retention.</b> The report keeps its time, release, environment and tags.
        </p>
      </div>
    )}
    {report.details_unreadable !== null && (
      <div class="banner warn">
        <p>{unreadableText[report.details_unreadable]}</p>
      </div>
    )}
    {report.ingest_truncations.length > 0 && (
      <div class="banner warn">
        <p>
          <b>The event was larger than the limits.</b> Parts of it were cut: see “Truncated” below.
        </p>
      </div>
    )}
    <SourcemapStatus report={report} />
    <Differing group={group} report={report} />
    <StackTrace report={report} />
    {report.exceptions.length === 0 && report.threads.length > 0 && (
      <section class="card" aria-labelledby="threads-title">
        <div class="card-head">
          <h2 id="threads-title">Threads</h2>
          <span class="grow" />
          <StackTools />
        </div>
        <Threads report={report} />
      </section>
    )}
    <Message report={report} />
    <Policy report={report} />
    <BreadcrumbList report={report} />
    <Sections group={group} report={report} />
  </>
)

/** The title of the group is that of its first report. */
const Differing = ({ group, report }: { readonly group: ShownGroup; readonly report: ReportDetail }) => {
  const isSame = group.error_type === report.error_type && group.error_message === report.error_message
  if (isSame) return null
  return (
    <div class="card differing">
      <span class="faint">In this report</span>
      <p>
        <b>
          <Text value={report.error_type} max={200} />
        </b>{" "}
        <Text value={report.error_message} />
      </p>
    </div>
  )
}

const Message = ({ report: { exceptions, logentry } }: { readonly report: ReportDetail }) => {
  if (logentry === null) return null
  const { formatted, message, params } = logentry
  const text = String(formatted ?? message ?? "")
  const hasTemplate = typeof message === "string" && message !== formatted
  if (text === "" && exceptions.length > 0) return null
  return (
    <section class="card" aria-labelledby="message-title">
      <div class="card-head">
        <h2 id="message-title">Message</h2>
        <span class="grow" />
        <CopyButton label="Copy the message" text={text} />
      </div>
      <pre class="message wrap">
        <Text value={text} />
      </pre>
      {(hasTemplate || params !== undefined) && (
        <table class="pairs">
          <tbody>
            {hasTemplate && (
              <tr>
                <th scope="row">Template</th>
                <td>
                  <Text value={message} />
                </td>
              </tr>
            )}
            {params !== undefined && (
              <tr>
                <th scope="row">Parameters</th>
                <td>
                  <Value value={params} />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** A browser's report of a violated policy. */
const Policy = ({ report: { security_report } }: { readonly report: ReportDetail }) => {
  if (security_report === null) return null
  const { data, ...fields } = security_report
  return (
    <section class="card" aria-labelledby="policy-title">
      <div class="card-head">
        <h2 id="policy-title">Violated policy</h2>
      </div>
      <Pairs pairs={[...pairsOf(fields), ...pairsOf((data ?? {}) as object)]} />
    </section>
  )
}

const Gone = ({ ids, isNewest }: { readonly ids: GroupIds; readonly isNewest: boolean }) => (
  <div class="banner">
    <p>
      {isNewest
        ? "Retention removed all reports of this group. The group itself is kept."
        : "This report does not exist in this group. Retention may have removed it."}{" "}
      {!isNewest && <Link to={groupPathOf(ids)}>The newest report</Link>}
    </p>
  </div>
)
