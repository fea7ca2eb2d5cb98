import type { GroupRef } from "../../data/groups.js"

/** Reads a group from what a reader pastes: `42`, `#42`, or the address of its page. Null for other texts. */
export const groupIn = (text: string, projectId: number): GroupRef | null => {
  const [, number] = /^\s*#?(\d{1,15})\s*$/.exec(text) ?? []
  if (number !== undefined) return { project_id: projectId, id: Number(number) }
  const [, project, group] = /\/projects\/(\d{1,15})\/groups\/(\d{1,15})/.exec(text) ?? []
  return project === undefined ? null : { project_id: Number(project), id: Number(group) }
}
