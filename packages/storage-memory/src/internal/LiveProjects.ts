import type { State } from "./State.js"
import type { Reader } from "./Transaction.js"

/** Returns whether a project exists and is one of `projectIds`, for lookups by id alone. Null means all projects. */
export const isAmong = (
  state: State,
  reader: Reader,
  projectId: number,
  projectIds: ReadonlyArray<number> | null,
): boolean => state.projects.has(reader, projectId) && (projectIds === null || projectIds.includes(projectId))
