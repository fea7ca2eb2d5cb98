/** The policies of the instance, and the runs that delete old data. For admins only. */
import type {
  ArtifactRetention,
  ErrorRetention,
  HostedSourcemaps,
  IngestProtection,
  RetentionRun,
} from "@errata/api/promise"
import { api } from "./client.js"
import { type Aborts, cache, pollEvery } from "./query.js"

export type RetentionKind = RetentionRun["kind"]
export type Retention = ErrorRetention | ArtifactRetention

export const ingestProtectionQuery = {
  queryKey: ["policy", "ingest"],
  queryFn: ({ signal }: Aborts): Promise<IngestProtection> => api.policies.getIngestProtection({ signal }),
}

export const retentionQuery = (kind: RetentionKind) => ({
  queryKey: ["policy", kind],
  queryFn: ({ signal }: Aborts): Promise<Retention> =>
    kind === "errors"
      ? api.policies.getErrorRetention({ signal })
      : api.policies.getArtifactRetention({ signal }),
})

export const hostedSourcemapsQuery = {
  queryKey: ["policy", "hosted"],
  queryFn: ({ signal }: Aborts): Promise<HostedSourcemaps> => api.policies.getHostedSourcemaps({ signal }),
}

export const updateIngestProtection = async (changes: Partial<IngestProtection>): Promise<void> => {
  cache.setQueryData(ingestProtectionQuery.queryKey, await api.policies.updateIngestProtection(changes))
}

export const updateRetention = async (
  kind: RetentionKind,
  changes: Partial<ErrorRetention & ArtifactRetention>,
): Promise<void> => {
  const updated =
    kind === "errors"
      ? await api.policies.updateErrorRetention(changes)
      : await api.policies.updateArtifactRetention(changes)
  cache.setQueryData(retentionQuery(kind).queryKey, updated)
}

export const updateHostedSourcemaps = async (enabled: boolean): Promise<void> => {
  cache.setQueryData(hostedSourcemapsQuery.queryKey, await api.policies.updateHostedSourcemaps({ enabled }))
}

/** The newest runs. */
export const runsQuery = {
  queryKey: ["retention-runs"],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<RetentionRun>> =>
    (await api.retention.list().page({ limit: 10 }, { signal })).runs,
  refetchInterval: pollEvery(5_000),
}

/** Requests a run. Returns the one that already waits or runs, if there is one. */
export const startRun = async (kind: RetentionKind): Promise<void> => {
  await api.retention.run({ kind })
  await cache.invalidateQueries({ queryKey: runsQuery.queryKey })
}
