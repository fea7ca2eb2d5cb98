import type { State } from "./State.js"
import type { Reader } from "./Transaction.js"

/** Whether something of a project is found by its id alone: the project is there, and one of those asked for. */
export const isAmong = (
  state: State,
  reader: Reader,
  projectId: number,
  projectIds: ReadonlyArray<number> | null,
): boolean => state.projects.has(reader, projectId) && (projectIds === null || projectIds.includes(projectId))
