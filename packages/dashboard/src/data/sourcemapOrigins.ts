/** The origins that Errata may fetch source maps from. For admins only. */
import type { HostedSourcemapOrigin } from "@errata/api/promise"
import { api } from "./client.js"
import { allOf } from "./lists.js"
import { cache } from "./query.js"

export const originsQuery = (projectId: number) => ({
  queryKey: ["sourcemap-origins", projectId],
  queryFn: async (): Promise<ReadonlyArray<HostedSourcemapOrigin>> =>
    allOf(api.sourcemapOrigins.list(projectId)),
})

export const addOrigin = async (projectId: number, origin: string): Promise<void> => {
  await api.sourcemapOrigins.create(projectId, { origin })
  await cache.invalidateQueries({ queryKey: ["sourcemap-origins", projectId] })
}

export const removeOrigin = async (projectId: number, originId: number): Promise<void> => {
  await api.sourcemapOrigins.remove(projectId, originId)
  await cache.invalidateQueries({ queryKey: ["sourcemap-origins", projectId] })
}
