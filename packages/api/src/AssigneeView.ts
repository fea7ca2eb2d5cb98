/** A possible assignee as the API shows it. Members see no other details of users. */
import type { Assignee } from "@errata/core"
import { Schema } from "effect"
import { described, named } from "./Json.js"

/** A possible assignee of groups, as REST shows it. */
export const AssigneeView = Schema.Struct({
  id: described("Id of the user", Schema.Int),
  name: described("Name of the user", Schema.String),
}).pipe(named("Assignee", { id: 3, name: "Operator" }))
export type AssigneeView = typeof AssigneeView.Type

export const assigneeView = ({ id, name }: Assignee): AssigneeView => ({ id, name })
