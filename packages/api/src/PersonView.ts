/** People as members see them, without other details of users. */
import type { Assignee } from "@errata/core"
import { Schema } from "effect"
import { int, text, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { IdValue } from "./Params.js"

/** A possible assignee of groups, as REST shows it. */
export const AssigneeView = Schema.Struct({
  id: int("Id of the user"),
  name: text("Name of the user"),
}).pipe(named("Assignee", { id: 3, name: "Operator" }))
export type AssigneeView = typeof AssigneeView.Type

export const assigneeView: (assignee: Assignee) => AssigneeView = viewOf(AssigneeView.fields)

/** Names of users by their ids. */
export const PeopleView = Schema.Struct({
  people: described("The people, newest first, at most 10,000", Schema.Array(AssigneeView)),
}).pipe(named("People", { people: [{ id: 3, name: "Operator" }] }))

/** The input for a new member. */
export const MemberAddition = Schema.Struct({
  user_id: described("Id of an active user. Adding a member again changes nothing", IdValue),
}).pipe(named("MemberAddition", { user_id: 3 }))
export type MemberAddition = typeof MemberAddition.Type
