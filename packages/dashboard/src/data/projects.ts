/** Projects of the caller. */

import { api, request } from "./client.js"
import type { ProjectRow } from "./pending.js"
import { cache, pollEvery, useQuery } from "./query.js"

export const projectsQuery = {
  queryKey: ["projects"],
  queryFn: async (): Promise<ReadonlyArray<ProjectRow>> => {
    const projects: Array<ProjectRow> = []
    for await (const project of api.projects.list()) projects.push(project)
    return projects
  },
  staleTime: 10_000,
}

export const useProjects = () =>
  useQuery<ReadonlyArray<ProjectRow>>({ ...projectsQuery, refetchInterval: pollEvery(30_000) })

export const useProject = (projectId: number, interval: number | false = false, enabled = true) =>
  useQuery<ProjectRow>({
    queryKey: ["project", projectId],
    queryFn: ({ signal }) => api.projects.get(projectId, { signal }),
    placeholderData: () =>
      cache.getQueryData<ReadonlyArray<ProjectRow>>(["projects"])?.find(({ id }) => id === projectId),
    enabled,
    refetchInterval: interval === false ? false : pollEvery(interval),
  })

/**
 * Returns whether a rule of the project holds for the caller, for example `groups.change`. Before the answer, and for all
 * projects together (null), members are taken to be able to change groups: the server decides.
 */
export const useProjectAccess = (projectId: number | null): ((rule: string) => boolean) => {
  const can = useQuery<{ readonly can: ReadonlyArray<string> }>({
    queryKey: ["access", projectId],
    queryFn: ({ signal }) => request("GET", `/projects/${projectId}/access`, { signal }),
    staleTime: 60_000,
    enabled: projectId !== null,
  }).data?.can
  return (rule) => can?.includes(rule) ?? rule === "groups.change"
}

export const createProject = async (project: { readonly name: string; readonly platform: string }) => {
  const created = await api.projects.create({
    ...project,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  await cache.invalidateQueries({ queryKey: ["projects"] })
  return created
}

/** Lets the server report an example error for the project. */
export const sendTestEvent = (projectId: number) =>
  request<{ readonly event_id: string }>("POST", `/projects/${projectId}/test_event`)
