/** Groups and reports under addresses of their own, read as Markdown. */
import type { Effect } from "effect"
import type { Failure } from "../Failure.js"
import type { Answer, Needs, Tool } from "../Tool.js"
import { tools } from "../Tools.js"

export interface Resource {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly uriTemplate: string
  readonly read: (id: number) => Effect.Effect<Answer, Failure, Needs>
}

// internal

/** What a tool tells of one thing. */
const byTool = (name: string, argument: string) => {
  const tool: Tool | undefined = tools.find((each) => each.name === name)
  return (id: number) => tool!.call({ [argument]: id })
}

export const resources: ReadonlyArray<Resource> = [
  {
    name: "group",
    title: "Group",
    description: "A group with its newest telling report, notes and similar groups",
    uriTemplate: "errata://groups/{id}",
    read: byTool("get_investigation_context", "group_id"),
  },
  {
    name: "report",
    title: "Report",
    description: "One occurrence of an error, with its stack and breadcrumbs",
    uriTemplate: "errata://reports/{id}",
    read: byTool("get_report", "report_id"),
  },
]
