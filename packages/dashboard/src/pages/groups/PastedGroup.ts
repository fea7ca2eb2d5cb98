import type { GroupRef } from "../../data/groups.js"

/** Parses a pasted reference to a group: `42`, `#42`, or the URL of its page. Null for other texts. */
export const groupIn = (text: string, projectId: number): GroupRef | null => {
  const [, number] = /^\s*#?(\d{1,15})\s*$/.exec(text) ?? []
  if (number !== undefined) return { project_id: projectId, id: Number(number) }
  const [, project, group] = /\/projects\/(\d{1,15})\/groups\/(\d{1,15})/.exec(text) ?? []
  return project === undefined ? null : { project_id: Number(project), id: Number(group) }
}
