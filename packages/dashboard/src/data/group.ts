/** Changes of a single group. `triage` has those that lists make, too. */
import { api, fetchText } from "./client.js"
import { patch } from "./groups.js"
import { notify, notifyFailure } from "./notices.js"
import { type Aborts, cache } from "./query.js"

/** Users that a group of the project can be assigned to. */
export const assigneesQuery = (projectId: number) => ({
  queryKey: ["assignees", projectId],
  queryFn: async ({ signal }: Aborts) =>
    (await api.assignees.list(projectId, { limit: 100 }, { signal })).assignees,
  staleTime: 60_000,
})

/** Links the group to an issue of a tracker; null removes the link. Returns whether the server took it. */
export const setIssue = async (
  projectId: number,
  groupId: number,
  url: string | null,
  before: string | null,
): Promise<boolean> => {
  const write = (value: string | null) =>
    value === null
      ? api.groups.unlinkIssue(projectId, groupId)
      : api.groups.linkIssue(projectId, groupId, value)
  try {
    await write(url)
    patch([{ project_id: projectId, id: groupId }], () => ({ issue_url: url }))
    notify(url === null ? "Removed the link to the issue." : "Linked the issue.", async () => {
      await write(before)
      refresh()
    })
    return true
  } catch (error) {
    notifyFailure("The link was not changed.", error)
    return false
  } finally {
    refresh()
  }
}

/** Deletes the group with its reports. Returns whether the server did. */
export const discard = async (projectId: number, groupId: number): Promise<boolean> => {
  try {
    await api.groups.remove(projectId, groupId)
    patch([{ project_id: projectId, id: groupId }], () => ({ discarded: true }))
    notify(`Deleted group ${groupId}.`)
    void cache.invalidateQueries({ queryKey: ["groups"] })
    return true
  } catch (error) {
    notifyFailure("The group was not deleted.", error)
    return false
  }
}

/** Returns the group, or one report of it, as Markdown made by the server. */
export const fetchMarkdown = (projectId: number, groupId: number, reportId: number | null): Promise<string> =>
  fetchText(
    `/projects/${projectId}/groups/${groupId}${reportId === null ? "" : `/reports/${reportId}`}`,
    "text/markdown",
  )

// internal

const refresh = (): void => {
  for (const key of ["group", "groups", "notes"]) void cache.invalidateQueries({ queryKey: [key] })
}
