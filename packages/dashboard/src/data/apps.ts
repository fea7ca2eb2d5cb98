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

export const createApp = (app: AppInput): Promise<void> => api.apps.create(app).then(refresh)

export const updateApp = (appId: number, changes: AppInput): Promise<void> =>
  api.apps.update(appId, changes).then(refresh)

export const deleteApp = (appId: number): Promise<void> => api.apps.remove(appId).then(refresh)

// internal

const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: appsQuery.queryKey })
