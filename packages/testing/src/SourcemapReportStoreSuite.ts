/** Reports that wait for source maps: how nodes share them, and the results of attempts. */
import { type Group, GroupFilter, type ProjectId, type ReportId } from "@errata/core"
import {
  GroupStore,
  type LeasedReport,
  ProjectStore,
  ReportStore,
  SourcemapReportStore,
  type SourcemapResolution,
  Storage,
  unprocessed,
} from "@errata/core/ports"
import { DateTime, Duration, Effect } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { stored } from "./internal/Queue.js"

const queued: SourcemapResolution = { ...unprocessed, status: "queued" }
const notFound: SourcemapResolution = {
  ...unprocessed,
  status: "not_found",
  failureCode: "artifact_not_uploaded",
}

const encode = (text: string) => new TextEncoder().encode(text)

/** Compressible, and too large for a row without compression. */
const frames = encode(`[${"[0,1,2],".repeat(4000)}[]]`)

const duration = Duration.minutes(5)

const lease = (limit = 10, perProject = 10) =>
  Effect.flatMap(SourcemapReportStore, (store) => store.lease({ limit, perProject, duration }))

/** Leases and settles reports of other cases. */
const emptyQueue = Effect.gen(function* () {
  const store = yield* SourcemapReportStore
  yield* advance("1 day")
  while (true) {
    const leased = yield* lease(1000, 1000)
    if (leased.length === 0) return
    for (const report of leased) yield* settle(store, report, notFound)
  }
})

const settle = (
  store: SourcemapReportStore["Service"],
  report: LeasedReport,
  resolution: SourcemapResolution,
  culprit: string | null = null,
) => Effect.flatMap(DateTime.now, (now) => store.settle(report, { resolution, culprit }, now))

const insert = (
  group: Group,
  resolution: SourcemapResolution,
  overrides: Parameters<typeof Factory.newReport>[1] = {},
) =>
  Effect.gen(function* () {
    const reports = yield* ReportStore
    const report = Factory.newReport(group, overrides, resolution)
    const [id] = yield* reports.insert([report], yield* DateTime.now)
    return id!
  })

const given = Effect.gen(function* () {
  yield* emptyQueue
  const project = yield* Given.project()
  const group = yield* Given.group(project.id)
  const store = yield* SourcemapReportStore
  return { project, group, store }
})

const read = Effect.fnUntraced(function* (group: Group, id: ReportId) {
  const reports = yield* ReportStore
  const report = yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id))
  // Drivers return subclasses of `Uint8Array`.
  return { ...report, frames: report.frames === null ? null : new Uint8Array(report.frames) }
})

const stateOf = (group: Group, id: ReportId) =>
  Effect.map(read(group, id), ({ sourcemapFailureCode, sourcemapStatus }) => [
    sourcemapStatus,
    sourcemapFailureCode,
  ])

const idsOf = (leased: ReadonlyArray<LeasedReport>) => leased.map(({ reportId }) => reportId)

const bounds = { maxAge: Duration.days(7), limit: 100 }

const requeue = (
  projectId: ProjectId,
  uploaded: { readonly debugIds?: ReadonlyArray<string>; readonly release?: string },
  limit = 100,
) =>
  Effect.gen(function* () {
    const store = yield* SourcemapReportStore
    return yield* store.requeue(
      projectId,
      { debugIds: uploaded.debugIds ?? [], release: uploaded.release ?? null },
      { ...bounds, limit },
      yield* DateTime.now,
    )
  })

const a = "e1b7cfaf-9c64-5ce6-a904-9b817f160208"
const b = "dd22ed14-cca4-527f-a916-3e5ac5b3dcec"

export const sourcemapReportStoreSuite: ContractSuite = {
  name: "SourcemapReportStore",
  cases: [
    contractCase(
      "stores the result of mapping during recording with the report",
      Effect.gen(function* () {
        const { group } = yield* given
        const resolved = yield* insert(group, { ...unprocessed, status: "resolved", frames })
        const failed = yield* insert(group, notFound)
        const other = yield* insert(group, unprocessed)
        const now = yield* DateTime.now
        expect(yield* read(group, resolved)).toMatchObject({ sourcemapStatus: "resolved", frames })
        expect((yield* read(group, resolved)).sourcemapAttemptedAt?.epochMilliseconds).toBe(
          now.epochMilliseconds,
        )
        expect(yield* stateOf(group, failed)).toEqual(["not_found", "artifact_not_uploaded"])
        expect(yield* read(group, other)).toMatchObject({ frames: null, sourcemapAttemptedAt: null })
        expect(yield* lease()).toEqual([])
      }),
    ),

    contractCase(
      "leases each report to one node, in order",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const [first, second, third] = [
          yield* insert(group, queued),
          yield* insert(group, queued),
          yield* insert(group, queued),
        ]
        const mine = yield* lease(2)
        const theirs = yield* onSecondNode(lease())
        expect(mine).toEqual([
          { projectId: group.projectId, reportId: first, leases: 1, postponed: 0 },
          { projectId: group.projectId, reportId: second, leases: 1, postponed: 0 },
        ])
        expect(idsOf(theirs)).toEqual([third])
        expect(yield* stateOf(group, first)).toEqual(["fetching", null])
        expect(yield* settle(store, mine[0]!, notFound)).toBe(true)
        expect(yield* stateOf(group, first)).toEqual(["not_found", "artifact_not_uploaded"])
        expect(yield* lease()).toEqual([])
      }),
    ),

    contractCase(
      "leases a report again after expiry, and ignores the first lease",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const id = yield* insert(group, queued)
        const [lost] = yield* lease()
        yield* advance(Duration.sum(duration, Duration.seconds(1)))
        const [taken] = yield* onSecondNode(lease())
        expect(taken).toMatchObject({ reportId: id, leases: 2 })
        expect(yield* settle(store, lost!, notFound)).toBe(false)
        yield* store.release([lost!])
        expect(yield* lease()).toEqual([])
        expect(yield* stateOf(group, id)).toEqual(["fetching", null])
        expect(yield* settle(store, taken!, { ...unprocessed, status: "resolved", frames })).toBe(true)
        expect(yield* read(group, id)).toMatchObject({ sourcemapStatus: "resolved", frames })
      }),
    ),

    contractCase(
      "leases a released report again",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const id = yield* insert(group, queued)
        yield* store.release(yield* lease())
        expect(yield* stateOf(group, id)).toEqual(["queued", null])
        expect(yield* lease()).toEqual([
          { projectId: group.projectId, reportId: id, leases: 1, postponed: 0 },
        ])
      }),
    ),

    contractCase(
      "renews the leases that a node holds, and none that it has lost",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const kept = yield* insert(group, queued)
        yield* insert(group, queued)
        const mine = yield* lease()
        yield* advance(Duration.minutes(4))
        yield* store.renew([mine[0]!], duration)
        yield* advance(Duration.minutes(4))
        const [taken] = yield* onSecondNode(lease())
        expect(taken).toEqual({ ...mine[1], leases: 2 })
        yield* store.renew(mine, Duration.seconds(1))
        yield* advance(Duration.seconds(2))
        // The other node's lease has not expired.
        expect(yield* lease()).toEqual([{ ...mine[0], reportId: kept, leases: 2 }])
        yield* store.renew([], duration)
      }),
    ),

    contractCase(
      "leases a postponed report after its pause, and others meanwhile",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const [first, second] = [yield* insert(group, queued), yield* insert(group, queued)]
        const [leased] = yield* lease(10, 1)
        expect(leased!.reportId).toBe(first)
        yield* store.postpone(leased!, Duration.seconds(30))
        expect(yield* stateOf(group, first!)).toEqual(["queued", null])
        yield* store.postpone(leased!, Duration.days(1))
        expect(idsOf(yield* lease(10, 1))).toEqual([second])
        expect(yield* lease(10, 5)).toEqual([])
        yield* advance(Duration.seconds(31))
        expect(yield* onSecondNode(lease(10, 5))).toEqual([{ ...leased, leases: 1, postponed: 1 }])
      }),
    ),

    contractCase(
      "leases a few of each project at a time, on all nodes together, and none of deleted ones",
      Effect.gen(function* () {
        const { group } = yield* given
        const other = yield* Given.group((yield* Given.project()).id)
        const gone = yield* Given.project()
        yield* insert(yield* Given.group(gone.id), queued)
        for (let i = 0; i < 5; i++) yield* insert(group, queued)
        const last = yield* insert(other, queued)
        const projects = yield* ProjectStore
        yield* projects.remove(gone.id, Factory.noon)
        const leased = yield* lease(10, 2)
        expect(leased.filter(({ projectId }) => projectId === group.projectId)).toHaveLength(2)
        expect(idsOf(leased)).toContain(last)
        expect(leased).toHaveLength(3)
        expect(yield* onSecondNode(lease(10, 2))).toEqual([])
      }),
    ),

    contractCase(
      "keeps the frames and the culprit after an attempt without frames, and replaces them otherwise",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const id = yield* insert(group, { ...queued, frames })
        const [first] = yield* lease()
        yield* settle(store, first!, notFound)
        const before = yield* read(group, id)
        expect(before.frames).toEqual(frames)
        yield* store.queue({ projectId: group.projectId, reportId: id }, yield* DateTime.now)
        const [second] = yield* lease()
        const shorter = encode("[]")
        yield* settle(
          store,
          second!,
          { ...unprocessed, status: "resolved", frames: shorter },
          "src/a.ts in run",
        )
        expect(yield* read(group, id)).toMatchObject({
          frames: shorter,
          culprit: "src/a.ts in run",
          sourcemapStatus: "resolved",
          sourcemapFailureCode: null,
        })
        expect(before.culprit).not.toBe("src/a.ts in run")
      }),
    ),

    contractCase(
      "finds the payload that a report is mapped from",
      Effect.gen(function* () {
        const { group, project, store } = yield* given
        const [payload] = yield* stored(Factory.payload(project.id))
        const reports = yield* ReportStore
        const report = Factory.newReport(group, { eventId: payload!.payload.eventId })
        const [id] = yield* reports.insert([{ ...report, place: payload!.place }], yield* DateTime.now)
        const found = yield* Effect.fromOption(yield* store.find({ projectId: project.id, reportId: id! }))
        expect(found).toMatchObject({ groupId: group.id, eventId: report.event.eventId })
        expect(found.payload?.eventId).toBe(report.event.eventId)
        const bare = yield* insert(group, unprocessed)
        expect(
          (yield* Effect.fromOption(yield* store.find({ projectId: project.id, reportId: bare }))).payload,
        ).toBeNull()
        const elsewhere = yield* store.find({ projectId: (yield* Given.project()).id, reportId: id! })
        expect(elsewhere._tag).toBe("None")
      }),
    ),

    contractCase(
      "queues reports again that an upload may help, newest first, behind other reports",
      Effect.gen(function* () {
        const { group, project } = yield* given
        const wanted = { ...notFound, wantedIds: [a, b] }
        const old = yield* insert(group, wanted)
        const partly = yield* insert(group, { ...unprocessed, status: "resolved", frames, wantedIds: [a] })
        const others = [
          yield* insert(group, { ...notFound, wantedIds: [b] }),
          yield* insert(group, unprocessed),
          yield* insert(group, { ...unprocessed, status: "resolved", frames }),
          yield* insert(group, { ...unprocessed, status: "blocked", failureCode: "insecure_url" }),
        ]
        const released = yield* insert(group, notFound, { release: "1.0" })
        yield* insert(group, { ...unprocessed, status: "resolved", frames }, { release: "1.0" })
        const elsewhere = yield* Given.group((yield* Given.project()).id)
        yield* insert(elsewhere, wanted, { release: "1.0" })
        expect(yield* requeue(project.id, { debugIds: [a], release: "1.0" })).toBe(3)
        expect(yield* requeue(project.id, { debugIds: [a], release: "1.0" })).toBe(0)
        const now = yield* insert(group, queued)
        expect(yield* stateOf(group, old)).toEqual(["queued", null])
        expect(idsOf(yield* lease())).toEqual([now, released, partly, old])
        for (const id of others) expect((yield* stateOf(group, id))[0]).not.toBe("fetching")
      }),
    ),

    contractCase(
      "queues again a bounded number of reports of the last days",
      Effect.gen(function* () {
        const { group, project } = yield* given
        yield* insert(group, { ...notFound, wantedIds: [b] })
        yield* advance("8 days")
        const ids: Array<ReportId> = []
        for (let i = 0; i < 3; i++) ids.push(yield* insert(group, { ...notFound, wantedIds: [b] }))
        expect(yield* requeue(project.id, { debugIds: [b] }, 2)).toBe(2)
        expect(idsOf(yield* lease())).toEqual([ids[2], ids[1]])
      }),
    ),

    contractCase(
      "finds the group of a report by a key that was added to it",
      Effect.gen(function* () {
        const { group, project } = yield* given
        const groups = yield* GroupStore
        const place = { projectId: project.id, groupId: group.id }
        const grouping = Factory.grouping()
        expect(yield* groups.addKey(place, grouping)).toEqual({ groupId: group.id, isNewTwin: false })
        expect(yield* groups.addKey(place, grouping)).toEqual({ groupId: group.id, isNewTwin: false })
        const found = yield* Given.group(project.id, { grouping })
        expect(found.id).toBe(group.id)
        const list = yield* groups.list(
          project.id,
          GroupFilter.all,
          { limit: 10, cursor: null },
          yield* DateTime.now,
        )
        expect(list.items).toHaveLength(1)
      }),
    ),

    contractCase(
      "keeps a key with the group that has it, and reports the twin once",
      Effect.gen(function* () {
        const { group, project } = yield* given
        const groups = yield* GroupStore
        const twin = yield* Given.group(project.id)
        const place = { projectId: project.id, groupId: group.id }
        expect(yield* groups.addKey(place, twin.grouping)).toEqual({ groupId: twin.id, isNewTwin: true })
        expect(yield* groups.addKey(place, twin.grouping)).toEqual({ groupId: twin.id, isNewTwin: false })
        expect((yield* Given.group(project.id, { grouping: twin.grouping })).id).toBe(twin.id)
      }),
    ),

    contractCase(
      "changes nothing in a transaction that fails",
      Effect.gen(function* () {
        const { group, store } = yield* given
        const id = yield* insert(group, queued)
        const [leased] = yield* lease()
        const grouping = Factory.grouping()
        const groups = yield* GroupStore
        const storage = yield* Storage
        yield* storage
          .transaction(
            Effect.gen(function* () {
              yield* groups.addKey({ projectId: group.projectId, groupId: group.id }, grouping)
              yield* settle(store, leased!, { ...unprocessed, status: "resolved", frames })
              return yield* Effect.fail("intended")
            }),
          )
          .pipe(Effect.ignore)
        expect(yield* read(group, id)).toMatchObject({ sourcemapStatus: "fetching", frames: null })
        expect((yield* Given.group(group.projectId, { grouping })).id).not.toBe(group.id)
        expect(yield* settle(store, leased!, notFound)).toBe(true)
      }),
    ),
  ],
}
