/** The stores of a distributed database: a route for each of their methods. */

import type { Project, ProjectId } from "@errata/core"
import {
  ActivityStore,
  AlertStore,
  ArtifactStore,
  DeliveryStore,
  GroupEventStore,
  GroupStore,
  HealthStore,
  MemberMailStore,
  NoteStore,
  PendingPayloads,
  ProjectStore,
  ReleaseStore,
  ReportStore,
  RetentionStore,
  SourcemapReportStore,
  SourcemapStore,
  type StoredReport,
  TargetStore,
  webhooksConsumer,
} from "@errata/core/ports"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "./Buckets.js"
import * as BusyBuckets from "./BusyBuckets.js"
import { named } from "./PgStorageError.js"
import * as Routes from "./Routes.js"

/**
 * Returns the stores unchanged without buckets, and routed to the buckets otherwise. A client that has not reached the database yet
 * queries the number of buckets with the first call.
 */
export const layer = <R>(
  stores: Layer.Layer<R, never, SqlClient.SqlClient>,
): Layer.Layer<R, never, SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const context = yield* Layer.build(stores)
      if (Buckets.of(sql).count === 0) return context
      const services = new Map(context.mapUnsafe)
      const busy = BusyBuckets.make(sql)
      for (const { key, routes } of tables) {
        const service = services.get(key)
        if (service !== undefined)
          services.set(
            key,
            routed(sql, service, (own) => routes(own, busy)),
          )
      }
      return Context.makeUnsafe<R>(services)
    }),
  )

// internal

type Service = Record<string, unknown>
/** Requires a route for each method. */
type RoutesOf<S> = { readonly [Name in keyof S]: Routes.Route }

const routed = (
  sql: SqlClient.SqlClient,
  service: Service,
  routesOf: (service: Service) => Record<string, Routes.Route>,
): Service => {
  const replaced: Service = { ...service }
  for (const [name, route] of Object.entries(routesOf(service))) {
    const member = service[name]
    const method = (Effect.isEffect(member) ? () => member : member) as Routes.Method
    let distributed: Routes.Method | undefined
    const inBuckets: Routes.Method = (...args) =>
      Effect.flatMap(named(name)(Buckets.detect(sql)), (count) => {
        if (count === 0) return method(...args)
        distributed ??= route(method, count)
        return distributed(...args)
      })
    replaced[name] = Effect.isEffect(member) ? inBuckets() : inBuckets
  }
  return replaced
}

type RoutesOfService = (service: Service, busy: BusyBuckets.BusyBuckets) => Record<string, Routes.Route>

const table = <I, S>(
  key: Context.Key<I, S>,
  routes: (service: S, busy: BusyBuckets.BusyBuckets) => RoutesOf<S>,
) => ({ key: key.key, routes: routes as unknown as RoutesOfService })

const { all, any, firstFound, inOrder, list, nothing, pages, set, sorted, sum, sums } = Routes
const { by, everywhere, inFirst, items, place, project, projects, shared, taking, upTo } = Routes

/** Removes some rows in each bucket. */
const removal = everywhere(() => sum)
const firstOfProjects = everywhere(
  () => firstFound,
  (_, projectIds) => projectIds,
)
const done = items(nothing)

const tables = [
  table(ProjectStore, (own) => ({
    insert: inFirst,
    find: project,
    findByToken: shared,
    findByKey: (method, count) => (key) =>
      Effect.flatMap(Buckets.within(0)(method(key)) as Effect.Effect<Option.Option<Project>>, (found) =>
        Option.isNone(found) ? Effect.succeedNone : project(own.find, count)(found.value.id),
      ),
    bind: project,
    list: (method, count) => (options, page) =>
      Effect.flatMap(options.only === null ? own.liveIds : Effect.succeed(options.only), (ids) => {
        const ofBucket = (bucket: number) =>
          (ids as ReadonlyArray<number>).filter((id) => Buckets.bucketOf(id, count) === bucket)
        return everywhere(
          () => pages(page.limit),
          () => ids,
        )(
          (given, page) =>
            Effect.flatMap(Buckets.Current, (bucket) =>
              method({ ...given, only: ofBucket(bucket as number) }, page),
            ),
          count,
        )(options, page)
      }),
    liveIds: shared,
    update: project,
    remove: shared,
    purge: removal,
    setMute: project,
    findUnfinishedMute: shared,
    unfinishedMutes: shared,
    advanceMute: shared,
    endMutes: shared,
    addCounts: done,
    addContacts: projects(nothing),
    addDiscarded: done,
  })),
  table(GroupStore, (_, busy) => ({
    locate: everywhere(
      () => sorted((self, that) => self.groupId - that.groupId),
      (_, projectIds) => projectIds,
    ),
    find: project,
    lock: project,
    list: project,
    count: project,
    lockOrCreate: items(inOrder, { lists: [0, 2] }),
    addKey: place,
    save: done,
    discard: done,
    remove: place,
    lastDiscarded: items(inOrder),
    purge: removal,
    addTagCounts: items(nothing, { lists: [0, 1] }),
    addUsers: items(Routes.map, { projectOf: ({ group }) => group.projectId }),
    tagKeys: project,
    listTagKeys: project,
    tagDistributions: project,
    tagValuesOf: project,
    completeTag: project,
    addToParts: done,
    lockToMerge: project,
    merge: place,
    listMerges: project,
    lockMerge: project,
    unmerge: place,
    lockNext: project,
    // Locks hold their buckets in place, so only buckets with expired mutes are locked.
    lockExpiredMutes: upTo(1, (now) => busy("mutes", now)),
  })),
  table(GroupEventStore, (_, busy) => ({
    append: done,
    subscribe: shared,
    unsubscribe: everywhere(() => nothing),
    removeAbandoned: removal,
    lease: taking(({ consumer }) => busy(consumer === webhooksConsumer ? "events" : "consumerEvents")),
    settle: items(all, { lists: [1] }),
    release: items(nothing, { lists: [1] }),
  })),
  table(ActivityStore, () => ({ series: project, busiest: project, forget: removal })),
  table(ReleaseStore, () => ({
    upsert: project,
    lockCount: project,
    find: project,
    findVersion: projects(sorted((self, that) => self.projectId - that.projectId)),
    list: project,
    newestVersions: project,
    knownVersions: project,
    firstSeen: items(inOrder),
    figures: project,
    removeUnseen: project,
    commits: project,
    addDeploy: project,
    deploys: project,
  })),
  table(ReportStore, (own) => ({
    insert: items(inOrder),
    addAttachments: done,
    findAttachment: project,
    list: project,
    latest: project,
    find: project,
    navigate: project,
    locate: items(inOrder),
    place: firstOfProjects,
    projectsOfEvent: (method, count) => (eventId, projectIds) =>
      Effect.gen(function* () {
        const inBuckets = everywhere(
          () => list,
          (_, ids) => ids,
        )(method, count)
        const found: ReadonlyArray<ProjectId> = yield* inBuckets(eventId, projectIds)
        if (found.length < 2) return found
        // Ids of different buckets are not in the order of time.
        const reports = yield* Effect.forEach(found, (id) => project(own.findByEventId, count)(id, eventId))
        return reports
          .flatMap((report: Option.Option<StoredReport>) => Option.toArray(report))
          .sort((self, that) => that.createdAt.epochMilliseconds - self.createdAt.epochMilliseconds)
          .map(({ projectId }) => projectId)
      }),
    findByEventId: project,
  })),
  table(RetentionStore, () => ({
    size: shared,
    enterNight: shared,
    request: shared,
    unfinished: shared,
    lastFinished: shared,
    list: shared,
    find: shared,
    begin: shared,
    countBundles: shared,
    finish: shared,
    purgeDetails: everywhere(() => nothing),
    purgeReports: everywhere(() => nothing),
    purgeGroups: everywhere(() => nothing),
    endOfOldest: everywhere(() => earliestFound),
  })),
  table(NoteStore, () => ({
    append: done,
    insert: place,
    list: project,
    recent: project,
    find: project,
    place: firstOfProjects,
    remove: project,
  })),
  table(SourcemapStore, () => ({
    insertOrigin: project,
    lockOriginCount: project,
    listOrigins: project,
    removeOrigin: project,
    findMap: place,
    claimMap: place,
    settleMap: place,
    releaseMap: place,
    expireMaps: removal,
  })),
  table(SourcemapReportStore, (_, busy) => ({
    lease: taking(() => busy("sourcemaps")),
    release: done,
    renew: done,
    postpone: place,
    find: place,
    settle: place,
    lock: place,
    queue: place,
    requeue: project,
  })),
  table(ArtifactStore, () => ({
    findByChecksum: everywhere(
      () => firstFound,
      (_kind, _checksum, projectIds) => projectIds,
    ),
    adopt: by((_from, projectId) => projectId),
    insert: place,
    link: place,
    insertFailed: place,
    list: project,
    find: project,
    files: project,
    debugIds: place,
    remove: project,
    releaseFiles: project,
    replaceReleaseFile: place,
    removeReleaseFiles: project,
    removeFailed: removal,
    removeOldest: removal,
    linkedReleases: project,
    removeOfReleases: project,
    announceBlobs: shared,
    storedBlobs: shared,
    takeUnneeded: shared,
    forgetBlobs: shared,
    blobBytes: shared,
    projectsWithFiles: projects(set),
    filesByDebugIds: project,
    filesByNames: project,
    markUsed: project,
    putChunk: shared,
    findChunks: shared,
    readChunk: shared,
    openBytes: shared,
    settleChunks: shared,
    removeStaleChunks: shared,
    leaseAssembly: shared,
    releaseAssembly: shared,
  })),
  table(DeliveryStore, (_, busy) => ({
    insert: items(inOrder),
    lease: taking(() => busy("deliveries")),
    settle: items(nothing, { projectOf: ({ delivery }) => delivery.projectId }),
    release: done,
    find: project,
    list: project,
    notifications: project,
    heldBack: project,
    removeSome: project,
    forget: removal,
  })),
  table(TargetStore, () => ({
    insert: place,
    find: project,
    ofProjects: projects(sorted((self, that) => self.id - that.id)),
    listWebhooks: project,
    listeners: projects(sorted((self, that) => self.webhookId - that.webhookId)),
    update: project,
    remove: project,
    membersOf: project,
    setFailing: done,
    disableFailing: upTo(2),
    sampleSecrets: everywhere(() => list),
    secretsOfKey: upTo(1),
    replaceSecret: place,
  })),
  table(MemberMailStore, () => ({
    find: project,
    put: project,
    members: projects(sorted((self, that) => self.projectId - that.projectId || self.userId - that.userId)),
    digests: everywhere((_, limit) =>
      sorted((self, that) => self.projectId - that.projectId || self.userId - that.userId, limit),
    ),
    advanceDigest: place,
    pause: shared,
    pausedAmong: shared,
    paused: shared,
    resume: shared,
  })),
  table(AlertStore, () => ({
    insert: shared,
    find: shared,
    list: shared,
    update: shared,
    // A default rule has states in every bucket.
    remove: (method, count) => (projectId: ProjectId | null, id) =>
      projectId !== null
        ? project(method, count)(projectId, id)
        : Effect.tap(inFirst(method, count)(null, id), (removed) =>
            removed ? everywhere(() => any)(method, count)(null, id) : Effect.void,
          ),
    inForce: shared,
    toMeasure: everywhere((_after, _since, limit) => sorted((self, that) => self - that, limit)),
    hasEventRules: shared,
    lockStates: items(list),
    putStates: done,
    firing: project,
    forgetStates: removal,
    countNotifications: place,
    takeEndedWindows: upTo(1),
  })),
  table(PendingPayloads, (_, busy) => ({
    // This method writes the items of each bucket to that bucket itself.
    append: shared,
    lease: Routes.takingOne<ReadonlyArray<unknown>>(busy("batches"), [], (found) => found.length > 0),
    renew: done,
    isolate: items(nothing, { projectOf: ofPayload }),
    leaseSuspect: Routes.takingOne<Option.Option<unknown>>(busy("suspects"), Option.none(), Option.isSome),
    remove: items(all),
    release: done,
    postpone: done,
    addDeadLetters: items(inOrder, { projectOf: ofPayload }),
    expireDeadLetters: removal,
    deadLettersSize: everywhere(() => sums),
    retryDeadLetter: everywhere(() => any),
    discardDeadLetter: everywhere(() => any),
    listDeadLetters: everywhere(({ limit }) => pages(limit)),
    size: everywhere(() => sums),
  })),
  table(HealthStore, () => ({
    hasPendingMigrations: shared,
    work: everywhere(() => Routes.earliest),
    write: shared,
    amounts: everywhere(() => sums),
    databaseBytes: shared,
  })),
]

function ofPayload({ payload }: { readonly payload: { readonly projectId: number } }): number {
  return payload.projectId
}

function earliestFound(answers: ReadonlyArray<{ readonly value: Option.Option<DateTime.Utc> }>) {
  const found = answers.flatMap(({ value }) => Option.toArray(value))
  return found.length === 0 ? Option.none() : Option.some(found.reduce((a, b) => DateTime.min(a, b)))
}
