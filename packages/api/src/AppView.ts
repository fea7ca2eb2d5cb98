/** An app as the API shows it: to members with those of its projects that are theirs. */
import type { App } from "@errata/core"
import { Schema } from "effect"
import { Timestamp } from "./Json.js"
import { IdValue, list, optional, Text } from "./Params.js"

export const AppView = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  project_ids: Schema.Array(Schema.Int),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotations({ identifier: "App" })
export type AppView = typeof AppView.Type

const ProjectIds = list({
  isItem: Schema.is(IdValue),
  of: "positive integers",
  unit: "ids",
  maxItems: 1_000,
  item: { type: "integer", minimum: 1 },
})

/** What an app is created from; it starts without projects where none are named. */
export const AppCreation = Schema.Struct({ name: Text, project_ids: optional(ProjectIds) }).annotations({
  identifier: "AppCreation",
})
export type AppCreation = typeof AppCreation.Type

/** What may be changed of an app; `project_ids` replaces the set. */
export const AppUpdate = Schema.Struct({
  name: optional(Text),
  project_ids: optional(ProjectIds),
}).annotations({ identifier: "AppUpdate" })
export type AppUpdate = typeof AppUpdate.Type

export const appView = (app: App): AppView => ({
  id: app.id,
  name: app.name,
  project_ids: app.projectIds,
  created_at: app.createdAt,
  updated_at: app.updatedAt,
})
