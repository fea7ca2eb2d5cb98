/** The releases of a project, and the files that build tools uploaded. */
import { api } from "./client.js"
import { type Aborts, cache } from "./query.js"

/** Newest first, 25 a page. */
export const releasesQuery = (projectId: number, cursor: number | undefined) => ({
  queryKey: ["releases", projectId, cursor],
  queryFn: async () => api.releases.list(projectId).page({ cursor }),
})

/** Newest first, 25 a page, failed ones among them. */
export const uploadsQuery = (projectId: number, cursor: number | undefined) => ({
  queryKey: ["uploads", projectId, cursor],
  queryFn: async () => api.artifacts.list(projectId).page({ cursor }),
})

/** An upload with its files. */
export const uploadQuery = (projectId: number, uploadId: number) => ({
  queryKey: ["upload", projectId, uploadId],
  queryFn: ({ signal }: Aborts) => api.artifacts.get(projectId, uploadId, { signal }),
})

export const deleteUpload = async (projectId: number, uploadId: number): Promise<void> => {
  await api.artifacts.remove(projectId, uploadId)
  await cache.invalidateQueries({ queryKey: ["uploads", projectId] })
}
