/** Queues reports again that an upload or a new origin may help. */
import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { ArtifactArrivals } from "../artifact/ArtifactArrivals.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { ProjectId } from "../project/Project.js"
import { OriginArrivals } from "../sourcemap/OriginArrivals.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import * as Transactions from "../storage/Transactions.js"
import { SourcemapReportStore, type UploadedNames } from "./SourcemapReportStore.js"

/**
 * Queues reports in the transaction that makes the files available, and once more a few seconds after the last upload of a
 * release. The second time finds reports of recorders that did not know of the files yet. After an origin was authorized,
 * only the second happens. Ends with the scope.
 */
export const layer: Layer.Layer<never, never, SourcemapReportStore> = Layer.effectContext(
  Effect.gen(function* () {
    const { sourcemaps: settings } = yield* ErrataConfig
    const store = yield* SourcemapReportStore
    const outage = yield* StorageOutage
    const scope = yield* Effect.scope
    const unknowing = Duration.sum(settings.lookupLife, longestRecording)
    const recent = new Map<string, RecentUploads>()

    const requeueRecent = (key: string, uploads: RecentUploads) =>
      Effect.gen(function* () {
        for (let now = uploads.since; now < uploads.until; now = yield* Clock.currentTimeMillis) {
          yield* Effect.sleep(uploads.until - now)
        }
        recent.delete(key)
        const now = yield* DateTime.now
        const names = uploads.isOrigin
          ? ("latest" as const)
          : { debugIds: [...uploads.debugIds], release: uploads.release }
        const maxAge = Duration.millis(now.epochMilliseconds - uploads.since + clockSkewMillis)
        yield* store.requeue(uploads.projectId, names, { maxAge, limit: settings.requeueLimit }, now)
      }).pipe(
        Effect.catchCause((cause) =>
          outage.logFailure("Requeuing recent reports after an upload failed", cause),
        ),
      )

    const remember = (projectId: ProjectId, { debugIds, release }: UploadedNames, isOrigin = false) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const until = now + Duration.toMillis(unknowing)
        const key = JSON.stringify([projectId, release, isOrigin])
        const known = recent.get(key)
        if (known !== undefined) {
          for (const id of debugIds) known.debugIds.add(id)
          known.until = until
          return
        }
        const uploads: RecentUploads = {
          projectId,
          release,
          debugIds: new Set(debugIds),
          isOrigin,
          since: now,
          until,
        }
        recent.set(key, uploads)
        yield* Effect.forkIn(Effect.interruptible(requeueRecent(key, uploads)), scope)
      })

    return Context.make(ArtifactArrivals, {
      arrived: ({ debugIds, projectId, release }) =>
        Effect.gen(function* () {
          const names = { debugIds, release }
          const bounds = { maxAge: settings.requeueAge, limit: settings.requeueLimit }
          yield* store.requeue(projectId, names, bounds, yield* DateTime.now)
          yield* Transactions.afterCommit(remember(projectId, names))
        }),
    }).pipe(
      Context.add(OriginArrivals, {
        authorized: (projectId) =>
          Transactions.afterCommit(remember(projectId, { debugIds: [], release: null }, true)),
      }),
    )
  }),
)

// internal

/** Uploads of a project, for one release or none, that recorders may not know yet. */
interface RecentUploads {
  readonly projectId: ProjectId
  readonly release: string | null
  readonly debugIds: Set<string>
  /** True for an authorized origin instead of an upload. */
  readonly isOrigin: boolean
  /** Epoch milliseconds of the first of them. */
  readonly since: number
  /** When all recorders know of the last one. */
  until: number
}

/** From a lookup to the commit of the reports that use it. */
const longestRecording = Duration.seconds(5)

/** The largest difference between the clocks of nodes and of the database. */
const clockSkewMillis = 60_000
