/** Projects of the caller. */
import type { Project } from "@errata/api/promise"
import { api } from "./client.js"
import { allOf } from "./lists.js"
import { cache, pollEvery, useQuery } from "./query.js"

export const projectsQuery = {
  queryKey: ["projects"],
  queryFn: (): Promise<ReadonlyArray<Project>> => allOf(api.projects.list()),
  staleTime: 10_000,
}

export const useProjects = () => useQuery({ ...projectsQuery, refetchInterval: pollEvery(30_000) })

/** One of the projects of the caller, as pages know it that show them all. */
export const useListedProject = (projectId: number | null): Project | undefined =>
  useProjects().data?.find(({ id }) => id === projectId)

export const useProject = (projectId: number, interval: number | false = false) =>
  useQuery({
    queryKey: ["project", projectId],
    queryFn: ({ signal }) => api.projects.get(projectId, { signal }),
    placeholderData: () =>
      cache.getQueryData<ReadonlyArray<Project>>(["projects"])?.find(({ id }) => id === projectId),
    refetchInterval: interval === false ? false : pollEvery(interval),
  })

/** Loads the caller's rules in a project. */
export const useProjectRules = (projectId: number | null) =>
  useQuery({
    queryKey: ["access", projectId],
    queryFn: ({ signal }) => api.projects.access(projectId ?? 0, { signal }),
    staleTime: 60_000,
    enabled: projectId !== null,
  })

/**
 * Returns a check of the caller's rules in the project, e.g. `groups.change`. While loading, and for all projects
 * together (null), it assumes that members can change groups: the server decides.
 */
export const useProjectAccess = (projectId: number | null): ((rule: string) => boolean) => {
  const can = useProjectRules(projectId).data?.can
  return (rule) => can?.includes(rule) ?? rule === "groups.change"
}

/** Says why actions on groups are missing, and who decides that. */
export const mayNotChange =
  "You may not change groups of this project (rule groups.change). The operator of the server sets the rules."

export const createProject = async (project: { readonly name: string; readonly platform: string }) => {
  const created = await api.projects.create({
    ...project,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  await cache.invalidateQueries({ queryKey: ["projects"] })
  return created
}

/** Lets the server report an example error for the project. */
export const sendTestEvent = (projectId: number) => api.projects.sendTestEvent(projectId)
