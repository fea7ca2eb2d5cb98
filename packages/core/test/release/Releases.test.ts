import {
  AccessPolicy,
  Actor,
  type AuthorizedProject,
  CurrentActor,
  ErrataConfig,
  type ProjectId,
  ProjectReferences,
  Releases,
  type User,
} from "@errata/core"
import { ArtifactStore, PolicyStore, ReleaseStore } from "@errata/core/ports"
import { contractCase, Factory, Given } from "@errata/testing"
import { DateTime, Effect, Layer } from "effect"
import { expect } from "vitest"
import { onStorages } from "../support/storages.js"

const services = Layer.mergeAll(Releases.Default, ProjectReferences.Default).pipe(
  Layer.provideMerge(AccessPolicy.layer),
)

const as =
  (user: User | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(CurrentActor, user === null ? Actor.System() : Actor.Person({ user })),
      Effect.provide(services),
    )

const changing = (...ids: ReadonlyArray<ProjectId>) =>
  Effect.forEach(ids, (id) => AccessPolicy.project("releases.change", id))

const upsert = (
  projects: ReadonlyArray<AuthorizedProject<"releases.change">>,
  version: string,
  change: Parameters<Releases["Service"]["upsert"]>[2] = {},
) => Effect.flatMap(Releases, (releases) => releases.upsert(projects, version, change))

/** A bundle of one file for a release. */
const bundleFor = Effect.fnUntraced(function* (projectId: ProjectId, release: string | null) {
  const artifacts = yield* ArtifactStore
  const now = yield* DateTime.now
  const bundleId = yield* artifacts.insert(Factory.newArtifactBundle(projectId), now)
  yield* artifacts.link({ projectId, bundleId }, { release, dist: null }, now)
})

const releasesWithBundles = (projectId: ProjectId) =>
  Effect.map(
    Effect.flatMap(ArtifactStore, (artifacts) => artifacts.linkedReleases(projectId)),
    (releases) => [...releases].sort(),
  )

onStorages("Releases", [
  contractCase(
    "are changed in all given projects, or in none",
    Effect.gen(function* () {
      const one = yield* Given.project()
      const two = yield* Given.project()
      const releases = yield* ReleaseStore
      yield* Effect.gen(function* () {
        const projects = yield* changing(two.id, one.id)
        const made = yield* upsert(projects, "1", { releasedAt: Factory.noon })
        expect(made.map(({ projectId }) => projectId)).toEqual([one.id, two.id])
        expect(made).toMatchObject([{ releasedAt: Factory.noon }, { releasedAt: Factory.noon }])
        const long = Array.from({ length: 1_200 }, (_, i) => ({
          id: `${i}`,
          repository: null,
          message: i === 0 ? "m".repeat(5_000) : "a\u0000b",
          authorName: null,
          authorEmail: null,
          committedAt: null,
        }))
        const [first] = yield* upsert(projects, "1", { commits: long })
        expect(first).toMatchObject({ commitsCount: 1_000, lastCommit: "0" })
        const kept = yield* releases.commits(one.id, first!.id)
        expect(kept.map(({ message }) => message!.length).slice(0, 2)).toEqual([4_096, 3])
        for (const [version, change] of [
          ["", {}],
          ["x".repeat(201), {}],
          ["ü".repeat(126), {}],
          ["a\u0007b", {}],
          ["2", { url: "javascript:alert(1)" }],
          ["2", { ref: "x".repeat(251) }],
          ["2", { refs: [{ repository: "", commit: "a", previousCommit: null }] }],
        ] as const) {
          expect(yield* Effect.flip(upsert(projects, version, change))).toMatchObject({
            _tag: "ValidationError",
          })
        }
        expect(yield* releases.findVersion([one.id, two.id], "2")).toEqual([])
      }).pipe(as(null))
    }),
  ),

  contractCase(
    "are found only in the caller's projects",
    Effect.gen(function* () {
      const mine = yield* Given.project()
      const theirs = yield* Given.project()
      const member = yield* Given.user()
      const user = { ...member, projectIds: [mine.id] } as User
      yield* as(null)(Effect.flatMap(changing(mine.id, theirs.id), (projects) => upsert(projects, "shared")))
      const found = yield* as(user)(
        Effect.flatMap(Releases, (releases) => releases.projectsWith("releases.change", "shared")),
      )
      expect(found.map(({ project }) => project.id)).toEqual([mine.id])
      expect(yield* as(user)(Effect.flip(changing(theirs.id)))).toMatchObject({ _tag: "ProjectNotFound" })
    }),
  ),

  contractCase(
    "remove the artifacts of older releases if the policy enables it",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const policies = yield* PolicyStore
      const { policies: defaults } = yield* ErrataConfig
      const before = yield* policies.find("artifactRetention")
      const policy = {
        ...defaults.artifactRetention,
        enabled: true,
        purgeOnNewRelease: true,
        maxReleasesKept: 2,
      }
      const make = (version: string, releasedAt: DateTime.Utc) =>
        as(null)(Effect.flatMap(changing(id), (projects) => upsert(projects, version, { releasedAt })))
      const day = (days: number) => DateTime.add(Factory.noon, { days })
      yield* make("1", day(1))
      yield* make("2", day(2))
      for (const release of ["1", "2", "to come", null]) yield* bundleFor(id, release)
      yield* make("3", day(3))
      // Nothing is deleted before a policy is set.
      expect(yield* releasesWithBundles(id)).toEqual(["1", "2", "to come"])
      yield* policies.save("artifactRetention", policy, yield* DateTime.now)
      yield* make("3", day(3))
      expect(yield* releasesWithBundles(id)).toEqual(["1", "2", "to come"])
      yield* make("4", day(4))
      expect(yield* releasesWithBundles(id)).toEqual(["to come"])
      yield* policies.save("artifactRetention", before, yield* DateTime.now)
    }),
  ),

  contractCase(
    "appear at their last deploy, or at their creation, unless they are archived",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      yield* Effect.gen(function* () {
        const releases = yield* Releases
        const store = yield* ReleaseStore
        const projects = yield* changing(id)
        for (const version of ["deployed", "sent", "archived"]) yield* upsert(projects, version)
        yield* upsert(projects, "archived", { status: "archived" })
        const past = DateTime.subtract(yield* DateTime.now, { days: 1 })
        for (const hours of [3, 4]) {
          yield* releases.deploy(projects, "deployed", {
            environment: "production",
            name: null,
            url: null,
            startedAt: null,
            finishedAt: DateTime.add(past, { hours }),
          })
        }
        const found = yield* releases.newest(yield* AccessPolicy.project("releases.read", id))
        const [deployed, sent] = yield* Effect.forEach(["deployed", "sent"], (version) =>
          Effect.map(store.findVersion([id], version), ([release]) => release!),
        )
        expect(found).toEqual([
          { id: sent!.id, version: "sent", appearedAt: sent!.createdAt },
          { id: deployed!.id, version: "deployed", appearedAt: deployed!.lastDeployedAt },
        ])
      }).pipe(as(null))
    }),
  ),
])
