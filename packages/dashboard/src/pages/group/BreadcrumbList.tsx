/** The breadcrumbs of a report: the oldest first, ending in the error itself. */
import type { ReportDetail } from "@errata/api/promise"
import type { Breadcrumb } from "@errata/core/event"
import { useState } from "preact/hooks"
import { CopyButton } from "../../parts/CopyButton.js"
import { Text } from "../../parts/Text.js"
import { Toggle } from "../../parts/Toggle.js"
import { inlineJson } from "../../parts/Value.js"
import { cut, line } from "../../text/SafeText.js"
import { dateTimeWithZone } from "../../text/Times.js"
import { crumbOrder, flip } from "./choices.js"
import { type Crumb, crumbsOf, crumbText, shownAtFirst } from "./crumbs.js"

export const BreadcrumbList = ({ report }: { readonly report: ReportDetail }) => {
  const [areAllShown, showAll] = useState(false)
  const breadcrumbs = report.breadcrumbs as ReadonlyArray<Breadcrumb>
  if (breadcrumbs.length === 0) return null
  const crumbs = crumbsOf(breadcrumbs, report.occurred_at, areAllShown)
  const rows = [...crumbs.map((crumb) => <Row crumb={crumb} />), <ErrorRow report={report} />]
  if (crumbOrder.value === "newest") rows.reverse()
  return (
    <section class="card" aria-labelledby="breadcrumbs-title">
      <div class="card-head">
        <h2 id="breadcrumbs-title">Breadcrumbs</h2>
        <span class="faint">
          {crumbs.length < breadcrumbs.length
            ? `last ${crumbs.length} of ${breadcrumbs.length}`
            : breadcrumbs.length}
        </span>
        <span class="grow" />
        {breadcrumbs.length > shownAtFirst && (
          <Toggle isPressed={areAllShown} onClick={() => showAll(!areAllShown)} title="Show all breadcrumbs">
            all
          </Toggle>
        )}
        <Toggle
          isPressed={crumbOrder.value === "newest"}
          onClick={() => flip(crumbOrder, "oldest", "newest")}
          title="Show the error first"
        >
          newest first
        </Toggle>
        <CopyButton
          label="Copy the breadcrumbs"
          text={() => crumbsOf(breadcrumbs, report.occurred_at, true).map(crumbText).join("\n")}
        />
      </div>
      <table class="crumbs">
        <colgroup>
          <col />
          <col />
          <col />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Time before the error</th>
            <th scope="col">Category</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}

// internal

const Row = ({ crumb: { category, data, level, message, offset, timestamp } }: { readonly crumb: Crumb }) => {
  const rest = Object.keys(data).length === 0 ? "" : inlineJson(data)
  return (
    <tr
      class={
        level === "error" || level === "fatal" ? "crumb bad" : level === "warning" ? "crumb warn" : "crumb"
      }
    >
      <td title={timestamp === undefined ? undefined : dateTimeWithZone(timestamp)}>{offset}</td>
      <td>
        {line(cut(category, 60))}
        {level !== "" && level !== "info" && <span class="visually-hidden"> {line(cut(level, 20))}</span>}
      </td>
      <td>
        <Text value={message} max={500} />
        {rest !== "" && (
          <span class="crumb-data">
            <Text value={rest} max={200} />
          </span>
        )}
      </td>
    </tr>
  )
}

const ErrorRow = ({ report }: { readonly report: ReportDetail }) => (
  <tr class="crumb error">
    <td>0 s</td>
    <td>{report.severity}</td>
    <td>
      <Text value={[report.error_type, report.error_message].filter(Boolean).join(": ")} max={300} />
    </td>
  </tr>
)
