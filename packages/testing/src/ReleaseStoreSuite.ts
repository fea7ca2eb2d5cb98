import type { ProjectId, ReleaseCommit } from "@errata/core"
import { type NewDeploy, type ReleaseChange, ReleaseStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"
import { given, record } from "./internal/Pipeline.js"

const upsert = (projectId: ProjectId, version: string, change: ReleaseChange = {}) =>
  Effect.gen(function* () {
    return yield* (yield* ReleaseStore).upsert(projectId, version, change, yield* DateTime.now)
  })

const findOne = (projectId: ProjectId, version: string) =>
  Effect.map(
    Effect.flatMap(ReleaseStore, (releases) => releases.findVersion([projectId], version)),
    ([release]) => release!,
  )

const commit = (id: string, fields: Partial<ReleaseCommit> = {}): ReleaseCommit => ({
  id,
  repository: "acme/web",
  message: "Mend the cart",
  authorName: "Ada",
  authorEmail: "ada@example.com",
  committedAt: Factory.noon,
  ...fields,
})

const deploy = (environment: string, minutes = 0): NewDeploy => ({
  environment,
  name: null,
  url: "https://ci.example.com/1",
  startedAt: null,
  finishedAt: DateTime.add(Factory.noon, { minutes }),
})

export const releaseStoreSuite: ContractSuite = {
  name: "ReleaseStore",
  cases: [
    contractCase(
      "creates one release per version and project",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        const other = yield* Given.project()
        const made = yield* upsert(id, "shop@1.0.0")
        expect(made).toMatchObject({
          isNew: true,
          release: {
            projectId: id,
            version: "shop@1.0.0",
            status: "open",
            ref: null,
            url: null,
            startedAt: null,
            releasedAt: null,
            firstSeenAt: null,
            lastSeenAt: null,
            refs: [],
            commitsCount: 0,
            lastCommit: null,
            deploysCount: 0,
            lastDeployedAt: null,
            createdAt: yield* DateTime.now,
          },
        })
        const again = yield* onSecondNode(upsert(id, "shop@1.0.0"))
        expect([again.isNew, again.release.id]).toEqual([false, made.release.id])
        const elsewhere = yield* upsert(other.id, "shop@1.0.0")
        expect([elsewhere.isNew, elsewhere.release.id === made.release.id]).toEqual([true, false])
        const releases = yield* ReleaseStore
        const found = yield* releases.findVersion([other.id, id], "shop@1.0.0")
        expect(found.map(idOf)).toEqual([made.release.id, elsewhere.release.id])
        expect(yield* releases.findVersion([id], "shop@1.0")).toEqual([])
        expect((yield* Effect.fromOption(yield* releases.find(id, made.release.id))).version).toBe(
          "shop@1.0.0",
        )
        expect(Option.isNone(yield* releases.find(other.id, made.release.id))).toBe(true)
      }),
    ),

    contractCase(
      "changes only the given fields",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        yield* upsert(id, "1", { ref: "main", url: "https://ci.example.com", startedAt: Factory.noon })
        yield* advance("1 minute")
        const released = yield* upsert(id, "1", { releasedAt: Factory.noon, url: null, status: "archived" })
        expect(released.release).toMatchObject({
          ref: "main",
          url: null,
          startedAt: Factory.noon,
          releasedAt: Factory.noon,
          status: "archived",
          updatedAt: yield* DateTime.now,
        })
        expect(yield* findOne(id, "1")).toEqual(released.release)
      }),
    ),

    contractCase(
      "keeps commits in their order and replaces them",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { id } = yield* Given.project()
        const commits = [
          commit("b", { committedAt: null, message: null, repository: null }),
          commit("a", { authorName: null, authorEmail: null, message: "ünïcödé\n\n🌍" }),
        ]
        const { release } = yield* upsert(id, "1", { commits })
        expect(release).toMatchObject({ commitsCount: 2, lastCommit: "a" })
        expect(yield* releases.commits(id, release.id)).toEqual(commits)
        expect(yield* releases.commits((yield* Given.project()).id, release.id)).toEqual([])
        const refs = [{ repository: "acme/web", commit: "head", previousCommit: "before" }]
        expect((yield* upsert(id, "1", { refs })).release).toMatchObject({ refs, lastCommit: "head" })
        expect((yield* upsert(id, "1", { refs: [] })).release).toMatchObject({ refs: [], lastCommit: "a" })
        const cleared = (yield* upsert(id, "1", { commits: [] })).release
        expect(cleared).toMatchObject({ commitsCount: 0, lastCommit: null })
        expect(yield* releases.commits(id, release.id)).toEqual([])
      }),
    ),

    contractCase(
      "keeps the newest deploys, and the time of the last one",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { id } = yield* Given.project()
        const { release } = yield* upsert(id, "1")
        const first = yield* releases.addDeploy(id, release.id, deploy("staging", 5), 2)
        const second = yield* releases.addDeploy(id, release.id, deploy("production"), 2)
        expect(first).toMatchObject(deploy("staging", 5))
        expect(yield* releases.deploys(id, release.id)).toEqual([second, first])
        expect(yield* findOne(id, "1")).toMatchObject({
          deploysCount: 2,
          lastDeployedAt: DateTime.add(Factory.noon, { minutes: 5 }),
        })
        const third = yield* releases.addDeploy(id, release.id, deploy("production"), 2)
        expect(yield* releases.deploys(id, release.id)).toEqual([third, second])
        expect(yield* releases.deploys((yield* Given.project()).id, release.id)).toEqual([])
      }),
    ),

    contractCase(
      "lists releases newest first, page by page",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { id } = yield* Given.project()
        yield* upsert((yield* Given.project()).id, "elsewhere")
        const versions = ["a", "b", "c", "d", "e"]
        yield* Effect.forEach(versions, (version) => upsert(id, version))
        const pages = yield* readPages(2, (page) => releases.list(id, page), upsert(id, "new"))
        expect(pages.map((page) => page.map(({ version }) => version))).toEqual([
          ["e", "d"],
          ["c", "b"],
          ["a"],
        ])
      }),
    ),

    contractCase(
      "returns the newest versions by release date, and which of given versions exist",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { id } = yield* Given.project()
        yield* upsert((yield* Given.project()).id, "elsewhere")
        const now = yield* DateTime.now
        yield* upsert(id, "made first")
        yield* advance("1 minute")
        yield* upsert(id, "made second")
        yield* upsert(id, "made second too")
        yield* upsert(id, "out long ago", { releasedAt: DateTime.subtract(now, { days: 1 }) })
        yield* upsert(id, "out soon", { releasedAt: DateTime.add(now, { days: 1 }) })
        const newest = ["out soon", "made second too", "made second", "made first", "out long ago"]
        expect(yield* releases.newestVersions(id, 10)).toEqual(newest)
        expect(yield* releases.newestVersions(id, 2)).toEqual(newest.slice(0, 2))
        const asked = ["made first", "elsewhere", "never", "out soon", "made first"]
        expect([...(yield* releases.knownVersions(id, asked))].sort()).toEqual(["made first", "out soon"])
        expect(yield* releases.knownVersions(id, [])).toEqual([])
      }),
    ),

    contractCase(
      "counts releases that were created by uploads, not by events",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { project, send } = yield* given
        yield* record(send({ release: "by event" }))
        yield* upsert(project.id, "by event", { ref: "main" })
        expect(yield* releases.lockCount(project.id)).toBe(0)
        yield* upsert(project.id, "made")
        expect(yield* releases.lockCount(project.id)).toBe(1)
      }),
    ),

    contractCase(
      "returns when a release was first seen, and to the hour when it was last seen",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const { release } = yield* upsert(project.id, "announced")
        yield* advance("1 minute")
        const now = yield* DateTime.now
        const first = DateTime.subtract(now, { seconds: 7 })
        const at = ({ epochMilliseconds: receivedAt }: DateTime.Utc) => ({ receivedAt })
        yield* record(
          send({ release: "announced" }, at(now)),
          send({ release: "announced" }, at(first)),
          send({ release: "new" }, at(now)),
          send({}),
        )
        const seen = yield* findOne(project.id, "announced")
        expect(seen).toMatchObject({ id: release.id, firstSeenAt: first, lastSeenAt: now })
        expect(yield* findOne(project.id, "new")).toMatchObject({
          firstSeenAt: now,
          lastSeenAt: now,
          createdAt: now,
        })
        const places = ["new", "none", "announced"].map((version) => ({ projectId: project.id, version }))
        const releases = yield* ReleaseStore
        expect(yield* releases.firstSeen(places)).toEqual([
          now.epochMilliseconds,
          null,
          first.epochMilliseconds,
        ])
        const other = yield* Given.project()
        expect(yield* releases.firstSeen([{ projectId: other.id, version: "new" }])).toEqual([null])
        yield* advance("59 minutes")
        yield* record(send({ release: "announced" }, at(now)))
        expect(yield* findOne(project.id, "announced")).toEqual(seen)
        // An earlier report, recorded late.
        const earlier = DateTime.subtract(first, { seconds: 1 })
        yield* record(send({ release: "new" }, at(earlier)))
        expect((yield* findOne(project.id, "new")).firstSeenAt).toEqual(earlier)
        yield* advance("2 minutes")
        yield* onSecondNode(record(send({ release: "announced" }, at(yield* DateTime.now))))
        expect(yield* findOne(project.id, "announced")).toMatchObject({
          firstSeenAt: first,
          lastSeenAt: yield* DateTime.now,
        })
      }),
    ),

    contractCase(
      "returns the counts of reports, groups and new groups of a version",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { project, send } = yield* given
        const elsewhere = yield* given
        yield* record(
          send({ group: "old", release: "1" }),
          send({ group: "old", release: "1" }),
          elsewhere.send({ group: "old", release: "2" }),
        )
        yield* record(
          send({ group: "old", release: "2" }),
          send({ group: "new", release: "2" }),
          send({ group: "new", release: "1" }),
          send({ group: "without" }),
        )
        // More batches than a storage sums up at once.
        for (let i = 0; i < 20; i++) yield* record(send({ group: "new", release: "2" }))
        yield* onSecondNode(record(send({ group: "new", release: "2" })))
        expect(yield* releases.figures(project.id, ["2", "unknown", "1"])).toEqual([
          { reports: 23, groups: 2, newGroups: 1 },
          { reports: 0, groups: 0, newGroups: 0 },
          { reports: 3, groups: 2, newGroups: 1 },
        ])
        expect(yield* releases.figures(project.id, [])).toEqual([])
      }),
    ),

    contractCase(
      "removes a release without reports",
      Effect.gen(function* () {
        const releases = yield* ReleaseStore
        const { project, send } = yield* given
        const unseen = (yield* upsert(project.id, "unseen", { commits: [commit("a")] })).release
        yield* releases.addDeploy(project.id, unseen.id, deploy("production"), 10)
        yield* record(send({ release: "seen" }))
        const seen = yield* findOne(project.id, "seen")
        expect(yield* releases.removeUnseen(project.id, seen.id)).toBe(false)
        expect(yield* releases.removeUnseen((yield* Given.project()).id, unseen.id)).toBe(false)
        expect(yield* releases.removeUnseen(project.id, unseen.id)).toBe(true)
        expect(yield* releases.removeUnseen(project.id, unseen.id)).toBe(false)
        expect(yield* releases.commits(project.id, unseen.id)).toEqual([])
        expect(yield* releases.deploys(project.id, unseen.id)).toEqual([])
        expect((yield* releases.list(project.id, { limit: 10, cursor: null })).items.map(idOf)).toEqual([
          seen.id,
        ])
      }),
    ),

    contractCase(
      "creates one release if two nodes see a version concurrently",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* Effect.all(
          [
            record(send({ release: "1" })),
            onSecondNode(record(send({ release: "1", group: "b" }))),
            upsert(project.id, "1"),
            onSecondNode(upsert(project.id, "1")),
          ],
          { concurrency: "unbounded" },
        )
        const { items } = yield* (yield* ReleaseStore).list(project.id, { limit: 10, cursor: null })
        expect(items.map(({ version }) => version)).toEqual(["1"])
        expect(items[0]!.firstSeenAt).not.toBeNull()
      }),
    ),
  ],
}
