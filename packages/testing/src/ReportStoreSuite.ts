import type { EventId, ReportId } from "@errata/core"
import {
  GroupStore,
  type NewReport,
  type PayloadPlace,
  ReportStore,
  Storage,
  type StoredPayload,
  TagList,
} from "@errata/core/ports"
import { Deferred, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { passTime } from "./internal/Paging.js"
import { stored } from "./internal/Queue.js"

const anyTime = { since: null, until: null }

const insert = (reports: ReadonlyArray<NewReport>) =>
  Effect.flatMap(ReportStore, (store) => store.insert(reports, Factory.noon))

/** Inserts reports and counts their tags, as recording does. */
const record = (reports: ReadonlyArray<NewReport>) =>
  Effect.tap(
    insert(reports),
    Effect.flatMap(GroupStore, (groups) =>
      groups.addTagCounts(
        reports.flatMap(({ groupId, projectId, tags }) =>
          TagList.decode(tags).map((tag) => ({ projectId, groupId, ...tag, count: 1 })),
        ),
      ),
    ),
  )

const insertOne = (report: NewReport) => Effect.map(insert([report]), ([id]) => id!)

const newGroup = Effect.flatMap(Given.project(), ({ id }) => Given.group(id))

const rich = Factory.errorEvent({
  severity: "fatal",
  handled: false,
  platform: "javascript",
  serverName: "web-1",
  environment: "production",
  release: "shop@1.2.3",
  occurredAt: Factory.noon.epochMilliseconds + 123,
  tags: [
    { key: "region", value: "eu" },
    { key: "a", value: "kept in this order" },
    { key: "quote", value: `"'\\{},null` },
  ],
  details: Factory.eventDetails({
    custom_fingerprint: ["{{ default }}", "checkout"],
    transaction: "GET /cart",
    exceptions: [
      { type: "CauseError", value: "ünïcödé 🌍", frames: [] },
      {
        type: "CartError",
        value: "line\nbreak",
        frames: [{ function: "f", lineno: 1, vars: { z: 1, a: [] } }],
      },
    ],
    extras: [
      { key: "z", value: { nested: [1, 2.5, -0.125, true, null, "text"] } },
      { key: "a", value: 9007199254740991 },
    ],
    contexts: [{ name: "os", data: { name: "Linux" } }],
    ingest_truncations: ["exceptions: 2 of 9 kept"],
  }),
})

export const reportStoreSuite: ContractSuite = {
  name: "ReportStore",
  cases: [
    contractCase(
      "returns the title of a report, equal to its group's title or not",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const { culprit, errorMessage, errorType } = group
        const title = { culprit, errorMessage: `${errorMessage} again`, errorType }
        const titles = [{ culprit, errorMessage, errorType }, title, { ...title, culprit: "", errorType: "" }]
        const ids = yield* insert(
          titles.map((title) => ({ ...Factory.newReport(group), title, groupTitle: group })),
        )
        const page = { limit: 10, cursor: null }
        const { items } = yield* reports.list(group.projectId, group.id, anyTime, page)
        expect(items.toReversed()).toMatchObject(titles)
        for (const [i, id] of ids.entries()) {
          const found = yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id!))
          expect(found).toMatchObject(titles[i]!)
        }
      }),
    ),

    contractCase(
      "keeps a report as inserted",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const event = { ...rich, eventId: Factory.eventId() }
        const [id] = yield* record([Factory.newReport(group, event)])
        const report = yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id!))
        expect(report).toMatchObject({
          id,
          groupId: group.id,
          projectId: group.projectId,
          eventId: event.eventId,
          errorType: "CartError",
          errorMessage: "line\nbreak",
          culprit: "GET /cart",
          platform: "javascript",
          severity: "fatal",
          handled: false,
          serverName: "web-1",
          environment: "production",
          releaseVersion: "shop@1.2.3",
          sourcemapStatus: "unprocessed",
          sourcemapFailureCode: null,
          sourcemapAttemptedAt: null,
          attachments: [],
          isPurged: false,
          unreadable: null,
        })
        expect(report.tags).toEqual(event.tags)
        expect(report.occurredAt.epochMilliseconds).toBe(event.occurredAt)
        expect(report.createdAt).toEqual(Factory.noon)
        expect(report.payload).toBeNull()
        const [summary] = (yield* reports.list(group.projectId, group.id, anyTime, {
          limit: 1,
          cursor: null,
        })).items
        const { attachments, frames, isPurged, payload, release, unreadable, ...expected } = report
        expect(summary).toEqual(expected)
      }),
    ),

    contractCase(
      "keeps the payload of a report at every position of a batch",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const bodies = ["first", "", "ünïcödé 🌍".repeat(1000), "last"].map((text) => Buffer.from(text))
        const payloads = bodies.map((body) => Factory.payload(group.projectId, { kind: "envelope", body }))
        const all = yield* stored(...payloads)
        const ids = yield* insert(all.map(({ place }) => ({ ...Factory.newReport(group), place })))
        for (const [i, id] of ids.entries()) {
          const { payload } = yield* Effect.fromOption(
            yield* reports.find(group.projectId, group.id, id as ReportId),
          )
          expect({ ...payload, body: Buffer.from(payload!.body) }).toEqual(payloads[i])
        }
      }),
    ),

    contractCase(
      "stores missing strings as empty, and no release",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const id = yield* insertOne(Factory.newReport(group))
        const report = yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id))
        expect([report.serverName, report.environment, report.releaseVersion]).toEqual(["", "", ""])
        expect(report.release).toBeNull()
      }),
    ),

    contractCase(
      "returns ids in the order of the reports, and null for stored events",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const [a, b, c, d] = [1, 2, 3, 4].map(() => Factory.newReport(group))
        expect((yield* insert([b!, d!])).every((id) => id !== null)).toBe(true)
        const ids = yield* insert([a!, b!, c!, d!])
        expect(ids.map((id) => id === null)).toEqual([false, true, false, true])
        for (const [i, report] of [a!, b!, c!].entries()) {
          if (ids[i] === null) continue
          const found = yield* Effect.fromOption(
            yield* reports.find(group.projectId, group.id, ids[i] as ReportId),
          )
          expect(found.eventId).toBe(report.event.eventId)
        }
        expect(yield* insert([])).toEqual([])
      }),
    ),

    contractCase(
      "does not change the first report of an event",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const other = yield* Given.group(group.projectId)
        const first = Factory.newReport(group)
        const id = yield* insertOne(first)
        const { eventId } = first.event
        expect(yield* insert([Factory.newReport(other, { eventId, platform: "ruby" })])).toEqual([null])
        const found = yield* Effect.fromOption(
          yield* reports.findByEventId(group.projectId, eventId as EventId),
        )
        expect([found.id, found.groupId, found.platform]).toEqual([id, group.id, "node"])
      }),
    ),

    contractCase(
      "stores the same event in each of several projects",
      Effect.gen(function* () {
        const a = yield* newGroup
        const b = yield* newGroup
        const eventId = Factory.eventId()
        const ids = yield* insert([Factory.newReport(a, { eventId }), Factory.newReport(b, { eventId })])
        expect(ids.every((id) => id !== null)).toBe(true)
      }),
    ),

    contractCase(
      "inserts an event once under concurrent inserts",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const events = Array.from({ length: 20 }, () => Factory.newReport(group))
        const backwards = events.toReversed()
        const answers = yield* Effect.all(
          [insert(events), onSecondNode(insert(events)), onSecondNode(insert(events))],
          { concurrency: "unbounded" },
        )
        for (const i of events.keys()) {
          expect(answers.filter((ids) => ids[i] !== null)).toHaveLength(1)
        }
        expect(yield* insert(backwards)).toEqual(backwards.map(() => null))
        const listed = yield* reports.list(group.projectId, group.id, anyTime, { limit: 100, cursor: null })
        expect(listed.items).toHaveLength(20)
      }),
    ),

    contractCase(
      "waits for a transaction that inserts the same event, and inserts it if that fails",
      Effect.gen(function* () {
        const storage = yield* Storage
        const group = yield* newGroup
        for (const outcome of ["commits", "fails"] as const) {
          const report = Factory.newReport(group)
          const inserted = yield* Deferred.make<void>()
          const end = yield* Deferred.make<void>()
          const first = yield* Effect.forkChild(
            storage.transaction(
              Effect.gen(function* () {
                yield* insert([report])
                yield* Deferred.succeed(inserted, undefined)
                yield* Deferred.await(end)
                if (outcome === "fails") yield* Effect.fail(outcome)
              }),
            ),
          )
          yield* Deferred.await(inserted)
          const second = yield* Effect.forkChild(onSecondNode(insert([report])))
          yield* passTime(storage.ping)
          yield* Deferred.succeed(end, undefined)
          yield* Fiber.await(first)
          const [id] = yield* Fiber.join(second)
          expect(id === null).toBe(outcome === "commits")
        }
      }),
    ),

    contractCase(
      "inserts hundreds of reports in one call",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const project = yield* Given.project()
        const groups = yield* Effect.all([Given.group(project.id), Given.group(project.id)])
        const events = Array.from({ length: 500 }, (_, i) =>
          Factory.newReport(groups[i % 2]!, { release: `r${i % 7}`, tags: [{ key: "n", value: String(i) }] }),
        )
        const ids = yield* record(events)
        expect(new Set(ids).size).toBe(500)
        const report = yield* Effect.fromOption(
          yield* reports.find(project.id, groups[1]!.id, ids[499] as ReportId),
        )
        expect(report.tags).toEqual([{ key: "n", value: "499" }])
      }),
    ),

    contractCase(
      "locates events in the given order",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const a = yield* newGroup
        const b = yield* newGroup
        const [inA, inB] = [Factory.newReport(a), Factory.newReport(b)]
        const [idA, idB] = yield* insert([inA, inB])
        const at = (group: typeof a, report: NewReport) => ({
          projectId: group.projectId,
          eventId: report.event.eventId,
        })
        expect(
          yield* reports.locate([
            at(b, inB),
            at(b, inA),
            { projectId: a.projectId, eventId: Factory.eventId() },
            at(a, inA),
            at(b, inB),
          ]),
        ).toEqual([
          { reportId: idB, groupId: b.id },
          null,
          null,
          { reportId: idA, groupId: a.id },
          { reportId: idB, groupId: b.id },
        ])
        expect(yield* reports.locate([])).toEqual([])
      }),
    ),

    contractCase(
      "finds a report by its event id, in its project only",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const a = yield* newGroup
        const b = yield* newGroup
        const report = Factory.newReport(a)
        const eventId = report.event.eventId as EventId
        const id = yield* insertOne(report)
        expect((yield* Effect.fromOption(yield* reports.findByEventId(a.projectId, eventId))).id).toBe(id)
        expect(Option.isNone(yield* reports.findByEventId(b.projectId, eventId))).toBe(true)
        expect(Option.isNone(yield* reports.findByEventId(a.projectId, Factory.eventId()))).toBe(true)
      }),
    ),

    contractCase(
      "finds a report in its own group and project only",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const a = yield* newGroup
        const b = yield* Given.group(a.projectId)
        const c = yield* newGroup
        const id = yield* insertOne(Factory.newReport(a))
        expect(Option.isSome(yield* reports.find(a.projectId, a.id, id))).toBe(true)
        expect(Option.isNone(yield* reports.find(a.projectId, b.id, id))).toBe(true)
        expect(Option.isNone(yield* reports.find(c.projectId, a.id, id))).toBe(true)
      }),
    ),

    contractCase(
      "finds the environment and the release of the latest report of each group",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const a = yield* newGroup
        const [b, empty] = [yield* Given.group(a.projectId), yield* Given.group(a.projectId)]
        const foreign = yield* newGroup
        // Received in this order, whenever they occurred.
        yield* insertOne(Factory.newReport(a, { environment: "staging", release: "2.0.0" }))
        const occurredAt = Factory.noon.epochMilliseconds - 86_400_000
        yield* insertOne(Factory.newReport(a, { environment: "production", release: "1.0.0", occurredAt }))
        yield* insertOne(Factory.newReport(b, { environment: "", release: "" }))
        yield* insertOne(Factory.newReport(foreign, { environment: "other" }))
        const ids = [b.id, empty.id, foreign.id, a.id]
        const found = yield* reports.latest(a.projectId, ids)
        expect([...found].sort((self, that) => self.groupId - that.groupId)).toEqual([
          { groupId: a.id, environment: "production", releaseVersion: "1.0.0" },
          { groupId: b.id, environment: "", releaseVersion: "" },
        ])
        expect(yield* reports.latest(a.projectId, [])).toEqual([])
      }),
    ),

    contractCase(
      "creates one release of a version in a project",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const a = yield* newGroup
        const b = yield* newGroup
        const release = "shop@2.0"
        const first = [Factory.newReport(a, { release }), Factory.newReport(a, { release })]
        const ids = [
          ...(yield* insert([...first, Factory.newReport(a, { release: "SHOP@2.0" })])),
          yield* insertOne(Factory.newReport(a, { release })),
        ]
        const found = yield* Effect.forEach(ids, (id) =>
          Effect.flatMap(reports.find(a.projectId, a.id, id as ReportId), Effect.fromOption),
        )
        expect(found.map((report) => report.release?.version)).toEqual([
          release,
          release,
          "SHOP@2.0",
          release,
        ])
        const [x, y, z, w] = found.map((report) => report.release?.id)
        expect([y, w]).toEqual([x, x])
        expect(z).not.toBe(x)
        const other = yield* insertOne(Factory.newReport(b, { release }))
        const elsewhere = yield* Effect.fromOption(yield* reports.find(b.projectId, b.id, other))
        expect(elsewhere.release?.id).not.toBe(x)
      }),
    ),

    contractCase(
      "creates one release under concurrent inserts",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const release = "shop@3.0"
        const ids = yield* Effect.all(
          [
            insertOne(Factory.newReport(group, { release })),
            onSecondNode(insertOne(Factory.newReport(group, { release }))),
          ],
          { concurrency: "unbounded" },
        )
        const found = yield* Effect.forEach(ids, (id) =>
          Effect.flatMap(reports.find(group.projectId, group.id, id), Effect.fromOption),
        )
        expect(found[0]!.release).toEqual(found[1]!.release)
        expect(found[0]!.release?.version).toBe(release)
      }),
    ),

    contractCase(
      "lists the attachments of a report in the order of their arrival",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const { projectId } = group
        const a = yield* insertOne(Factory.newReport(group))
        const b = yield* insertOne(Factory.newReport(group))
        const [{ place }] = (yield* stored(Factory.payload(projectId))) as [StoredPayload]
        const attachment = (reportId: ReportId, filename: string, size: number, index = 0) => ({
          projectId,
          reportId,
          place,
          index,
          filename,
          contentType: "text/plain",
          type: "event.attachment",
          size,
        })
        yield* reports.addAttachments([
          attachment(a, "z.log", 3),
          attachment(b, "b.log", 0),
          attachment(a, "a.log", 70_000, 1),
        ])
        yield* reports.addAttachments([attachment(a, "later.log", 1)])
        const { attachments } = yield* Effect.fromOption(yield* reports.find(projectId, group.id, a))
        expect(attachments.map(({ filename, size }) => [filename, size])).toEqual([
          ["z.log", 3],
          ["a.log", 70_000],
          ["later.log", 1],
        ])
        expect(Object.keys(attachments[0]!).sort()).toEqual(["contentType", "filename", "id", "size", "type"])
        expect(attachments[0]).toMatchObject({ contentType: "text/plain", type: "event.attachment" })
        expect(
          (yield* Effect.fromOption(yield* reports.find(projectId, group.id, b))).attachments,
        ).toHaveLength(1)
      }),
    ),

    contractCase(
      "finds the payload of an attachment, and its index in the payload",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const group = yield* newGroup
        const { projectId } = group
        const [a, b] = [
          yield* insertOne(Factory.newReport(group)),
          yield* insertOne(Factory.newReport(group)),
        ]
        const everyByte = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
        const payloads = [everyByte, Uint8Array.of(1)].map((body) => Factory.payload(projectId, { body }))
        const [large, small] = (yield* stored(...payloads)).map(({ place }) => place)
        const attachment = (reportId: ReportId, place: PayloadPlace, index: number) => ({
          ...{ projectId, reportId, place, index, filename: "a.bin", size: 1 },
          ...{ contentType: "application/octet-stream", type: "event.attachment" },
        })
        yield* reports.addAttachments([
          attachment(a, large!, 0),
          attachment(a, large!, 1),
          attachment(b, small!, 0),
        ])
        const idsOf = (id: ReportId) =>
          Effect.map(
            Effect.flatMap(reports.find(projectId, group.id, id), Effect.fromOption),
            ({ attachments }) => attachments.map((it) => it.id),
          )
        const [first = 0, second = 0] = yield* idsOf(a)
        const [other = 0] = yield* idsOf(b)
        const source = (project: typeof projectId, report: ReportId, id: number) =>
          Effect.map(
            reports.findAttachment(project, report, id),
            Option.map(({ index, payload }) => [index, payload.eventId, Array.from(payload.body)]),
          )
        const [of, ofB] = payloads.map(({ body, eventId }) => [eventId, Array.from(body)])
        expect(yield* source(projectId, a, first)).toEqual(Option.some([0, ...of!]))
        expect(yield* source(projectId, a, second)).toEqual(Option.some([1, ...of!]))
        expect(yield* source(projectId, b, other)).toEqual(Option.some([0, ...ofB!]))
        expect(yield* source(projectId, b, first)).toEqual(Option.none())
        expect(yield* source(projectId, a, other + 1_000_000)).toEqual(Option.none())
        const elsewhere = yield* newGroup
        expect(yield* source(elsewhere.projectId, a, first)).toEqual(Option.none())
      }),
    ),
  ],
}
