/** A possible assignee as the API shows it. Members see no other details of users. */
import type { Assignee } from "@errata/core"
import { Schema } from "effect"
import { int, text, viewOf } from "./Fields.js"
import { named } from "./Json.js"

/** A possible assignee of groups, as REST shows it. */
export const AssigneeView = Schema.Struct({
  id: int("Id of the user"),
  name: text("Name of the user"),
}).pipe(named("Assignee", { id: 3, name: "Operator" }))
export type AssigneeView = typeof AssigneeView.Type

export const assigneeView: (assignee: Assignee) => AssigneeView = viewOf(AssigneeView.fields)
