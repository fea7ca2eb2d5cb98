import { Schema } from "effect"
import { ProjectId } from "../project/Project.js"

export const AppId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** Projects that belong together. A project is in one app at most. */
export class App extends Schema.Class<App>("App")({
  id: AppId,
  /** Unique. */
  name: Schema.String,
  /** Live projects, ascending. */
  projectIds: Schema.Array(ProjectId),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
}) {}
