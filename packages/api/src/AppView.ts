/** Apps in the API. Members see only those projects of an app that they have access to. */
import type { App } from "@errata/core"
import { idListProblem, maxIds } from "@errata/core/validation"
import { Schema } from "effect"
import { int, text, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { IdValue, list, optional, Text } from "./Params.js"

/** An app, as REST shows it. */
export const AppView = Schema.Struct({
  id: int("Id of the app"),
  name: text("Name of the app, unique among apps"),
  project_ids: described(
    "Ids of its projects. Members see only their own projects",
    Schema.Array(Schema.Int),
  ),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}).pipe(
  named("App", {
    id: 2,
    name: "Shop",
    project_ids: [1, 4],
    created_at: "2026-01-01T08:00:00.000Z",
    updated_at: "2026-01-01T08:00:00.000Z",
  }),
)
export type AppView = typeof AppView.Type

const ProjectIds = list({
  isItem: Schema.is(IdValue),
  of: "positive integers",
  problem: idListProblem,
  maxItems: maxIds,
  item: { type: "integer", minimum: 1 },
})

/** The input for a new app. Without `project_ids`, the app has no projects. */
export const AppCreation = Schema.Struct({
  name: described("Name of the app, unique among apps", Text),
  project_ids: described("Ids of its projects. A project can be in one app", optional(ProjectIds)),
}).pipe(named("AppCreation", { name: "Shop", project_ids: [1, 4] }))
export type AppCreation = typeof AppCreation.Type

/** Changes of an app. `project_ids` replaces the current projects. */
export const AppUpdate = Schema.Struct({
  name: described("New name, unique among apps", optional(Text)),
  project_ids: described("Ids of its projects. Replaces the current ones", optional(ProjectIds)),
}).pipe(named("AppUpdate", { project_ids: [1] }))
export type AppUpdate = typeof AppUpdate.Type

export const appView: (app: App) => AppView = viewOf(AppView.fields)
