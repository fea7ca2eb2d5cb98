/** Has reports looked at again that what was uploaded may help. */
import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import { ArtifactArrivals } from "../artifact/ArtifactArrivals.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { ProjectId } from "../project/Project.js"
import { OriginArrivals } from "../sourcemap/OriginArrivals.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import * as Transactions from "../storage/Transactions.js"
import { SourcemapReportStore, type UploadedNames } from "./SourcemapReportStore.js"

/**
 * In the transaction that makes the files available; and once more a few seconds after the last of a release's uploads, for
 * reports that recorders have come to meanwhile who did not know of them yet. For as long as the scope is open. After an
 * origin was authorised, only the latter.
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

/** Uploads for a release of a project, or for none, that recorders may not know of yet. */
interface RecentUploads {
  readonly projectId: ProjectId
  readonly release: string | null
  readonly debugIds: Set<string>
  /** True after an origin was authorised, instead of an upload. */
  readonly isOrigin: boolean
  /** Epoch milliseconds of the first of them. */
  readonly since: number
  /** When all recorders know of the last one. */
  until: number
}

/** From a look-up to the commit of what was recorded by it. */
const longestRecording = Duration.seconds(5)

/** By which the clocks of nodes and of the database may differ. */
const clockSkewMillis = 60_000
