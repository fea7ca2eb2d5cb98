/** Retention of artifacts: by age, disk usage, newer releases and use. */
import { type ArtifactRetention, Policies, type ProjectId, StorageError } from "@errata/core"
import { ArtifactJob, ArtifactRetentionJob, purgeOldReleases } from "@errata/core/internal"
import { ArtifactStore, BlobStore, PolicyStore, RetentionStore, Storage } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { onStorageClock } from "./internal/Retaining.js"
import { sha1, sha256 } from "./TestBundle.js"

const turn = ArtifactRetentionJob.turn.pipe(Effect.provide(Policies.Default))

/** Applies a policy while the effect runs. */
const withPolicy = <A, E, R>(settings: Partial<ArtifactRetention>, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const policies = yield* PolicyStore
    const save = (settings: object) =>
      Effect.flatMap(DateTime.now, (now) => policies.save("artifactRetention", { ...settings }, now))
    return yield* Effect.andThen(save(settings), Effect.ensuring(effect, Effect.orDie(save({}))))
  })

/** Stores a bundle with one file of this size. */
const upload = (projectId: ProjectId, bytes = 10, links: ReadonlyArray<string | null> = []) =>
  Effect.gen(function* () {
    const store = yield* ArtifactStore
    const now = yield* DateTime.now
    const blob = Factory.hash()
    yield* store.announceBlobs([blob], now)
    yield* store.storedBlobs([{ key: blob, bytes }])
    const files = [Factory.newArtifactFile({ blob })]
    const bundleId = yield* store.insert(Factory.newArtifactBundle(projectId, { size: bytes, files }), now)
    for (const release of links) yield* store.link({ projectId, bundleId }, { release, dist: null }, now)
    return bundleId
  })

const idsOf = (projectId: ProjectId) =>
  Effect.flatMap(ArtifactStore, (store) =>
    Effect.map(store.list(projectId, { limit: 100, cursor: null }), ({ items }) => items.map(({ id }) => id)),
  )

/** Sets the storage's clock to noon, after the nightly run, with nothing left to remove. */
const given = Effect.gen(function* () {
  yield* onStorageClock
  const { now } = yield* Storage
  const time = yield* now
  const noon = DateTime.add(DateTime.startOf(time, "day"), { days: 1, hours: 12 })
  yield* advance(DateTime.distance(time, noon))
  // Data of other cases, whose clocks may have been ahead.
  const store = yield* ArtifactStore
  yield* store.removeOldest(null, 100_000)
  const later = DateTime.add(noon, { days: 10_000 })
  yield* store.forgetBlobs(yield* store.takeUnneeded(later, later, later, 100_000))
  yield* store.removeFailed(later, 100_000)
  yield* (yield* ArtifactStore).removeStaleChunks({ put: later, settled: later }, 100_000)
  yield* turn
  return (yield* Given.project()).id
})

const lastRun = Effect.flatMap(RetentionStore, ({ lastFinished }) =>
  Effect.flatMap(lastFinished("artifacts"), (run) => Effect.orDie(Effect.fromOption(run))),
)

const request = Effect.flatMap(RetentionStore, (store) => store.request("artifacts", "requested", null))

export const artifactRetentionSuite: ContractSuite = {
  name: "Artifact retention",
  cases: [
    contractCase(
      "runs once at two in the morning, and removes bundles unused for the period",
      Effect.gen(function* () {
        const projectId = yield* given
        const policy = { enabled: true, retentionPeriodDays: 10 }
        yield* upload(projectId)
        const used = yield* upload(projectId)
        yield* advance("9 days")
        yield* turn
        yield* (yield* ArtifactStore).adopt(
          { projectId, bundleId: used },
          projectId,
          null,
          yield* DateTime.now,
        )
        const fresh = yield* upload(projectId)
        yield* withPolicy(
          policy,
          Effect.gen(function* () {
            expect(yield* turn).toBe(false)
            yield* advance("2 days")
            expect(yield* Effect.all([turn, onSecondNode(turn)])).toEqual([true, false])
            expect(yield* idsOf(projectId)).toEqual([fresh, used])
            expect(yield* lastRun).toMatchObject({
              kind: "artifacts",
              trigger: "nightly",
              state: "succeeded",
              removed: { bundles: 1, reports: 0, groups: 0 },
              bytesBefore: 30,
              bytesAfter: 20,
              isWithinDiskLimit: null,
              failure: null,
            })
          }),
        )
        yield* advance("30 days")
        expect(yield* turn).toBe(false)
        expect(yield* idsOf(projectId)).toHaveLength(2)
      }),
    ),

    contractCase(
      "removes the least recently used bundles until the disk limit holds",
      Effect.gen(function* () {
        const projectId = yield* given
        const gb = 1_000_000_000
        yield* upload(projectId, gb)
        yield* advance("1 hour")
        for (let i = 0; i < 60; i++) yield* upload(projectId, 1)
        yield* advance("1 hour")
        const kept = yield* upload(projectId, gb)
        const policy = { enabled: true, timeBasedEnabled: false, diskBasedEnabled: true } as const
        const run = (limit: Partial<ArtifactRetention>) =>
          withPolicy({ ...policy, ...limit }, Effect.andThen(request, turn))
        yield* run({ diskLimitType: "absolute", diskLimitValue: 3 })
        expect(yield* lastRun).toMatchObject({ removed: { bundles: 0 }, isWithinDiskLimit: true })
        yield* run({ diskLimitType: "absolute", diskLimitValue: 1 })
        expect(yield* idsOf(projectId)).toEqual([kept])
        expect(yield* lastRun).toMatchObject({ isWithinDiskLimit: true, bytesAfter: gb })
      }),
    ),

    contractCase(
      "measures the disk of the contents, and counts pending removals as free",
      Effect.gen(function* () {
        const projectId = yield* given
        const blobs = yield* BlobStore
        for (let i = 0; i < 3; i++) yield* upload(projectId, 100)
        const policy = { enabled: true, timeBasedEnabled: false, diskBasedEnabled: true, diskLimitValue: 80 }
        const run = (freeBytes: number) =>
          withPolicy(policy, Effect.andThen(request, turn)).pipe(
            Effect.provideService(BlobStore, {
              ...blobs,
              disk: Effect.succeed({ totalBytes: 1000, freeBytes }),
            }),
          )
        yield* run(200)
        expect(yield* idsOf(projectId)).toHaveLength(3)
        yield* run(50)
        expect(yield* idsOf(projectId)).toHaveLength(1)
        expect((yield* lastRun).isWithinDiskLimit).toBe(true)
        yield* run(50)
        expect(yield* lastRun).toMatchObject({ removed: { bundles: 0 }, isWithinDiskLimit: true })
        yield* withPolicy(policy, Effect.andThen(request, turn)).pipe(
          Effect.provideService(BlobStore, {
            ...blobs,
            disk: Effect.succeed({ totalBytes: 1000, freeBytes: -1000 }),
          }),
        )
        expect((yield* lastRun).isWithinDiskLimit).toBe(false)
      }),
    ),

    contractCase(
      "removes artifacts of old releases when a new release appears, if the policy enables it",
      Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const old = yield* upload(projectId, 1, ["1"])
        const both = yield* upload(projectId, 1, ["1", "3"])
        const second = yield* upload(projectId, 1, ["2"])
        const toCome = yield* upload(projectId, 1, ["next"])
        const free = yield* upload(projectId, 1, [null])
        const known = ["3", "2", "1"]
        const purge = purgeOldReleases(projectId, {
          newest: (limit) => Effect.succeed(known.slice(0, limit)),
          among: (versions) => Effect.succeed(versions.filter((version) => known.includes(version))),
        })
        expect(yield* purge).toBe(0)
        const policy = { enabled: true, maxReleasesKept: 2 }
        expect(yield* withPolicy(policy, purge)).toBe(0)
        expect(yield* withPolicy({ ...policy, enabled: false, purgeOnNewRelease: true }, purge)).toBe(0)
        expect(yield* withPolicy({ ...policy, purgeOnNewRelease: true }, purge)).toBe(1)
        expect(yield* idsOf(projectId)).toEqual([free, toCome, second, both])
        expect(yield* idsOf(projectId)).not.toContain(old)
        expect(yield* withPolicy({ ...policy, maxReleasesKept: 1, purgeOnNewRelease: true }, purge)).toBe(1)
        expect(yield* idsOf(projectId)).toEqual([free, toCome, both])
      }),
    ),

    contractCase(
      "sweeps unused chunks, failures and contents, but not recent ones",
      Effect.gen(function* () {
        const projectId = yield* given
        const store = yield* ArtifactStore
        const blobs = yield* BlobStore
        const { id: owner } = yield* Given.user()
        const content = (text: string) => new TextEncoder().encode(text + Factory.hash())
        const put = Effect.fnUntraced(function* (content: Uint8Array) {
          const key = sha256(content)
          yield* store.announceBlobs([key], yield* DateTime.now)
          yield* store.storedBlobs([{ key, bytes: yield* blobs.put(key, content) }])
          return key
        })
        const has = (key: string) => Effect.map(blobs.get(key), Option.isSome)
        const [lost, needed] = [yield* put(content("lost")), yield* put(content("needed"))]
        const files = [Factory.newArtifactFile({ blob: needed })]
        yield* store.insert(Factory.newArtifactBundle(projectId, { files }), yield* DateTime.now)
        const failed = Factory.newArtifactBundle(projectId, { detail: "broken" })
        yield* store.insertFailed(failed, { release: null, dist: null }, yield* DateTime.now)
        const chunk = content("chunk")
        yield* store.putChunk(owner, { sha1: sha1(chunk), content: chunk }, yield* DateTime.now)

        yield* advance("59 minutes")
        expect(yield* ArtifactJob.expire).toEqual({ chunks: 0, failures: 0, blobs: 0 })
        yield* advance("2 minutes")
        expect(yield* Effect.all([ArtifactJob.expire, onSecondNode(ArtifactJob.expire)])).toEqual([
          { chunks: 0, failures: 0, blobs: 1 },
          { chunks: 0, failures: 0, blobs: 0 },
        ])
        expect([yield* has(lost), yield* has(needed)]).toEqual([false, true])
        yield* advance("24 hours")
        expect(yield* ArtifactJob.expire).toEqual({ chunks: 1, failures: 0, blobs: 0 })
        yield* advance("30 days")
        expect(yield* ArtifactJob.expire).toEqual({ chunks: 0, failures: 1, blobs: 0 })
        expect(yield* idsOf(projectId)).toHaveLength(1)
      }),
    ),

    contractCase(
      "sweeps other contents even if many cannot be removed",
      Effect.gen(function* () {
        yield* given
        const store = yield* ArtifactStore
        const blobs = yield* BlobStore
        const announced = Effect.fnUntraced(function* (count: number) {
          const keys = Array.from({ length: count }, () => Factory.hash())
          yield* store.announceBlobs(keys, yield* DateTime.now)
          return keys
        })
        const stuck = yield* announced(101)
        yield* advance("1 second")
        const others = yield* announced(150)
        const away = new StorageError({
          operation: "remove",
          reason: "unavailable",
          cause: new Error("stuck"),
        })
        const removed: Array<string> = []
        const expire = Effect.provideService(ArtifactJob.expire, BlobStore, {
          ...blobs,
          remove: (keys) =>
            Effect.suspend(() => {
              if (keys.some((key) => stuck.includes(key))) return away
              removed.push(...keys)
              return blobs.remove(keys)
            }),
        })
        yield* advance("61 minutes")
        // None of the first hundred can be removed, e.g. because their store is unavailable.
        expect(yield* Effect.flip(expire)).toMatchObject({ _tag: "StorageError", operation: "remove" })
        expect(removed).toEqual([])
        expect(yield* Effect.flip(expire)).toMatchObject({ _tag: "StorageError", operation: "remove" })
        expect(removed.toSorted()).toEqual(others.toSorted())
        yield* advance("11 minutes")
        expect((yield* ArtifactJob.expire).blobs).toBe(stuck.length)
      }),
    ),

    contractCase(
      "removes contents whose removal a killed node began",
      Effect.gen(function* () {
        yield* given
        const store = yield* ArtifactStore
        const blobs = yield* BlobStore
        const content = new TextEncoder().encode(Factory.hash())
        const key = sha256(content)
        yield* store.announceBlobs([key], yield* DateTime.now)
        yield* blobs.put(key, content)
        yield* advance("2 hours")
        const killed = ArtifactJob.expire.pipe(
          Effect.provideService(BlobStore, { ...blobs, remove: () => Effect.die("killed") }),
        )
        expect((yield* Effect.exit(killed))._tag).toBe("Failure")
        expect((yield* ArtifactJob.expire).blobs).toBe(0)
        // Meanwhile the content counts as missing, so that uploads send it again.
        expect(yield* store.announceBlobs([key], yield* DateTime.now)).toEqual([key])
        yield* advance("11 minutes")
        expect((yield* ArtifactJob.expire).blobs).toBe(1)
        expect(Option.isNone(yield* blobs.get(key))).toBe(true)
        expect(yield* store.announceBlobs([key], yield* DateTime.now)).toEqual([])
      }),
    ),
  ],
}
