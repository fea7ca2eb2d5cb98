/** Apps, which group projects. */
import type { App } from "@errata/api/promise"
import { api } from "./client.js"
import { allOf } from "./lists.js"
import { cache } from "./query.js"

export const appsQuery = {
  queryKey: ["apps"],
  queryFn: async (): Promise<ReadonlyArray<App>> =>
    (await allOf(api.apps.list())).toSorted((a, b) => a.name.localeCompare(b.name)),
}

export interface AppInput {
  readonly name: string
  readonly project_ids: ReadonlyArray<number>
}

export const createApp = async (app: AppInput): Promise<void> => {
  await api.apps.create(app)
  await refresh()
}

export const updateApp = async (appId: number, changes: AppInput): Promise<void> => {
  await api.apps.update(appId, changes)
  await refresh()
}

export const deleteApp = async (appId: number): Promise<void> => {
  await api.apps.remove(appId)
  await refresh()
}

// internal

const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: appsQuery.queryKey })
