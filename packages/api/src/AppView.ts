/** An app as the API shows it: to members with those of its projects that are theirs. */
import type { App } from "@errata/core"
import { idListProblem, maxIds } from "@errata/core/validation"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { IdValue, list, optional, Text } from "./Params.js"

export const AppView = Schema.Struct({
  id: described("The app's id", Schema.Int),
  name: described("Its name, unique among apps", Schema.String),
  project_ids: described("Its projects; for members those of theirs", Schema.Array(Schema.Int)),
  created_at: described("When it was created", Timestamp),
  updated_at: described("When it last changed", Timestamp),
}).annotations({
  identifier: "App",
  examples: [
    {
      id: 2,
      name: "Shop",
      project_ids: [1, 4],
      created_at: at("2026-01-01T08:00:00.000Z"),
      updated_at: at("2026-01-01T08:00:00.000Z"),
    },
  ],
})
export type AppView = typeof AppView.Type

const ProjectIds = list({
  isItem: Schema.is(IdValue),
  of: "positive integers",
  problem: idListProblem,
  maxItems: maxIds,
  item: { type: "integer", minimum: 1 },
})

/** What an app is created from; it starts without projects where none are named. */
export const AppCreation = Schema.Struct({
  name: described("Its name, unique among apps", Text),
  project_ids: described("Its projects, which are in no other app", optional(ProjectIds)),
}).annotations({
  identifier: "AppCreation",
  examples: [{ name: "Shop", project_ids: [1, 4] }],
})
export type AppCreation = typeof AppCreation.Type

/** What may be changed of an app; `project_ids` replaces the set. */
export const AppUpdate = Schema.Struct({
  name: described("Another name, unique among apps", optional(Text)),
  project_ids: described("All its projects from now on", optional(ProjectIds)),
}).annotations({ identifier: "AppUpdate", examples: [{ project_ids: [1] }] })
export type AppUpdate = typeof AppUpdate.Type

export const appView = (app: App): AppView => ({
  id: app.id,
  name: app.name,
  project_ids: app.projectIds,
  created_at: app.createdAt,
  updated_at: app.updatedAt,
})
