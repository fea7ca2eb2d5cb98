/** Resources: groups and reports as Markdown. */
import type { Effect } from "effect"
import type { Failure } from "../Failure.js"
import type { Needs } from "../Tool.js"
import { readGroupMarkdown, readReportMarkdown } from "../tools/ReportTools.js"

export interface Resource {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly uriTemplate: string
  readonly read: (id: number) => Effect.Effect<string, Failure, Needs>
}

export const resources: ReadonlyArray<Resource> = [
  {
    name: "group",
    title: "Group",
    description: "A group with its newest useful report, notes and similar groups",
    uriTemplate: "errata://groups/{id}",
    read: readGroupMarkdown,
  },
  {
    name: "report",
    title: "Report",
    description: "A report with its stack and breadcrumbs",
    uriTemplate: "errata://reports/{id}",
    read: readReportMarkdown,
  },
]
