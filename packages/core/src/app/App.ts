import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"

/** Identifies an app: a positive integer, larger for newer ones. */
export const AppId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** A set of projects that belong together. A project is in at most one app. */
export interface App {
  readonly id: AppId
  /** Unique. */
  readonly name: string
  /** Live projects, ascending. */
  readonly projectIds: ReadonlyArray<ProjectId>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
