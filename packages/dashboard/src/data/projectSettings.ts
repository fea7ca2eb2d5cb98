/** The settings of a project. */
import type { Project } from "@errata/api/promise"
import { api } from "./client.js"
import { type Aborts, cache } from "./query.js"

export const notificationSettingsQuery = (projectId: number) => ({
  queryKey: ["notification-settings", projectId],
  queryFn: ({ signal }: Aborts) => api.projects.getNotificationSettings(projectId, { signal }),
})

export const updateProject = async (
  projectId: number,
  changes: { readonly name: string; readonly platform: string; readonly timezone: string },
): Promise<void> => {
  show(await api.projects.update(projectId, changes))
}

/** Replaces the key in the DSN. The server rejects the former one from now on. */
export const rotateToken = async (projectId: number): Promise<void> => {
  show(await api.projects.rotateToken(projectId))
}

/** Mutes the project until a time, or without an end (null). */
export const muteProject = async (projectId: number, until: string | null): Promise<void> => {
  await api.projects.mute(projectId, until === null ? undefined : { snooze_until: until })
  await refreshProject(projectId)
}

export const unmuteProject = async (projectId: number): Promise<void> => {
  await api.projects.unmute(projectId)
  await refreshProject(projectId)
}

export const setErrorsOnly = async (projectId: number, errorsOnly: boolean): Promise<void> => {
  const settings = await api.projects.updateNotificationSettings(projectId, {
    error_and_fatal_notifications_only: errorsOnly,
  })
  cache.setQueryData(notificationSettingsQuery(projectId).queryKey, settings)
}

export const deleteProject = async (projectId: number): Promise<void> => {
  await api.projects.remove(projectId)
  await cache.invalidateQueries({ queryKey: ["projects"] })
}

// internal

const show = (project: Project): void => {
  cache.setQueryData(["project", project.id], project)
  void cache.invalidateQueries({ queryKey: ["projects"] })
}

const refreshProject = async (projectId: number): Promise<void> => {
  void cache.invalidateQueries({ queryKey: ["projects"] })
  await cache.invalidateQueries({ queryKey: ["project", projectId] })
}
