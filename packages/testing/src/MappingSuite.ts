/** Mapping minified frames to the original source, while recording and later. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  ErrataConfig,
  type EventId,
  type GroupId,
  type ProjectId,
  SourcemapOrigins,
  SourcemapRetries,
} from "@errata/core"
import { ResolvedFrames, SourcemapArrivals } from "@errata/core/internal"
import {
  BlobStore,
  NoteStore,
  type Payload,
  PolicyStore,
  ReportStore,
  SourcemapReportStore,
  SourcemapStore,
} from "@errata/core/ports"
import { Cause, DateTime, Duration, Effect, Exit, Layer } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { groupsOf, onlyGroupOf } from "./internal/Pipeline.js"
import { emptyQueue } from "./internal/Queue.js"
import {
  app,
  mapOf,
  type Names,
  recorderNode,
  recordScripts,
  scriptPayload,
  uploadMap,
  withRetries,
  workOff,
} from "./internal/Scripts.js"
import { sha256 } from "./TestBundle.js"

const id = "e1b7cfaf-9c64-5ce6-a904-9b817f160208"
const id2 = "dd22ed14-cca4-527f-a916-3e5ac5b3dcec"

const names: Names = { a: ["checkout", "src/cart.ts"], b: ["explode", "src/price.ts"] }
/** Another build of the same sources. */
const renamed: Names = { x: ["checkout", "src/cart.ts"], y: ["explode", "src/price.ts"] }

const given = Effect.gen(function* () {
  yield* emptyQueue
  yield* advance("1 day")
  yield* workOff({})
  return (yield* Given.project()).id
})

const reportOf = Effect.fnUntraced(function* (projectId: ProjectId, eventId: string) {
  const reports = yield* ReportStore
  return yield* Effect.fromOption(yield* reports.findByEventId(projectId, eventId as EventId))
})

const stateOf = (projectId: ProjectId, eventId: string) =>
  Effect.map(reportOf(projectId, eventId), ({ sourcemapFailureCode: code, sourcemapStatus: status }) =>
    code === null ? status : `${status}: ${code}`,
  )

const functionsOf = (projectId: ProjectId, eventId: string) =>
  Effect.map(reportOf(projectId, eventId), ({ frames }) =>
    frames === null
      ? null
      : ResolvedFrames.overlay(
          Factory.eventDetails({ exceptions: [{ frames: [{ function: "a" }, { function: "b" }] }] }),
          frames,
        ).exceptions[0]!.frames.map((frame) => frame.function),
  )

const notesOf = (projectId: ProjectId, groupId: GroupId) =>
  Effect.flatMap(NoteStore, (notes) =>
    Effect.map(notes.list(projectId, groupId, { limit: 100, cursor: null }), ({ items }) =>
      items.map(({ content }) => content),
    ),
  )

const upload = (
  projectId: ProjectId,
  content: Uint8Array,
  named: Parameters<typeof uploadMap>[2] = { debugId: id },
) => Effect.provide(uploadMap(projectId, content, named), SourcemapArrivals.layer)

const retry = Effect.fnUntraced(function* (projectId: ProjectId, eventId: string) {
  const { groupId, id: reportId } = yield* reportOf(projectId, eventId)
  const user = yield* Given.user({ role: "admin" })
  return yield* Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const retries = yield* SourcemapRetries
    const project = yield* access
      .project("project.administer", projectId)
      .pipe(Effect.provideService(CurrentActor, Actor.Person({ user })))
    return yield* retries.retry(project, groupId, reportId)
  }).pipe(withRetries, Effect.provide(AccessPolicy.layer))
})

const refusal = (exit: Exit.Exit<unknown, unknown>) => {
  const failure = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : null
  return failure?._tag === "Some" ? failure.value : null
}

export const mappingSuite: ContractSuite = {
  name: "Mapping",
  cases: [
    contractCase(
      "groups the errors of two builds together by mapped frames",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names), { debugId: id })
        yield* upload(projectId, mapOf(renamed), { debugId: id2 })
        const first = scriptPayload(projectId, { debugId: id })
        const second = scriptPayload(projectId, { debugId: id2, calls: ["x", "y"] })
        yield* recordScripts({}, first, second)
        const group = yield* onlyGroupOf(projectId)
        expect(group).toMatchObject({ culprit: "src/price.ts in explode", reportsCount: 2 })
        expect(yield* stateOf(projectId, first.eventId)).toBe("resolved")
        expect(yield* functionsOf(projectId, second.eventId)).toEqual(["checkout", "explode"])
        const { payload } = yield* reportOf(projectId, second.eventId)
        expect(new TextDecoder().decode(payload!.body)).toContain('"x"')
      }),
    ),

    contractCase(
      "finds maps by the release if events have no debug id",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names), { release: "shop@1" })
        const known = scriptPayload(projectId, { release: "shop@1", path: `${app}?v=3#top` })
        const other = scriptPayload(projectId, { release: "shop@2" })
        const nameless = scriptPayload(projectId)
        yield* recordScripts({}, known, other, nameless)
        expect(yield* stateOf(projectId, known.eventId)).toBe("resolved")
        expect(yield* stateOf(projectId, other.eventId)).toBe("not_found: artifact_not_uploaded")
        expect(yield* stateOf(projectId, nameless.eventId)).toBe("not_found: no_debug_id_or_release")
      }),
    ),

    contractCase(
      "maps events recorded before a recorder sees a new upload",
      Effect.gen(function* () {
        const projectId = yield* given
        const [debugId, release] = [Factory.debugId(), "shop@1"]
        const node = yield* recorderNode
        const before = [scriptPayload(projectId, { debugId }), scriptPayload(projectId, { release })]
        yield* node.record(...before)
        const arrivals = yield* Layer.build(SourcemapArrivals.layer)
        yield* Effect.provide(uploadMap(projectId, mapOf(names), { debugId, release }), arrivals)
        yield* workOff({})
        const after = [scriptPayload(projectId, { debugId }), scriptPayload(projectId, { release })]
        yield* node.record(...after)
        const states = (payloads: ReadonlyArray<Payload>) =>
          Effect.forEach(payloads, ({ eventId }) => stateOf(projectId, eventId))
        const unknown = "not_found: artifact_not_uploaded"
        expect([yield* states(before), yield* states(after)]).toEqual([
          ["resolved", "resolved"],
          [unknown, unknown],
        ])
        yield* advance("6 seconds")
        expect(yield* workOff({})).toBe(0)
        yield* advance("1 second")
        // A storage with real connections needs real time to queue them.
        const worked = Effect.tap(workOff({}), onRealClock(Effect.sleep("5 millis")))
        yield* Effect.repeat(worked, { until: (count) => count > 0, times: 400 })
        expect(yield* states(after)).toEqual(["resolved", "resolved"])
        yield* advance("1 day")
        expect(yield* workOff({})).toBe(0)
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "finds maps of files whose names are encoded in addresses",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names), { release: "shop@1", url: "~/app/[slug]/é.js.map" })
        const path = "https://shop.example.com/app/%5Bslug%5D/%C3%A9.js"
        const script = scriptPayload(projectId, { release: "shop@1", path })
        yield* recordScripts({}, script)
        expect(yield* stateOf(projectId, script.eventId)).toBe("resolved")
      }),
    ),

    contractCase(
      "reports missing artifacts in a project without uploads, and ignores other platforms",
      Effect.gen(function* () {
        const projectId = yield* given
        const script = scriptPayload(projectId, { debugId: id })
        const nameless = scriptPayload(projectId)
        const other = scriptPayload(projectId, { platform: "python" })
        yield* recordScripts({}, script, nameless, other)
        expect(yield* stateOf(projectId, script.eventId)).toBe("not_found: artifact_not_uploaded")
        expect(yield* stateOf(projectId, nameless.eventId)).toBe("not_found: no_debug_id_or_release")
        expect(yield* stateOf(projectId, other.eventId)).toBe("unprocessed")
        expect(yield* workOff({})).toBe(0)
      }),
    ),

    contractCase(
      "records a batch in order, with valid, invalid and missing maps",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, new TextEncoder().encode("no map"))
        yield* upload(projectId, mapOf(names), { debugId: id2 })
        const payloads = [
          scriptPayload(projectId, { debugId: id2 }),
          scriptPayload(projectId, { platform: "python", calls: ["p"] }),
          scriptPayload(projectId, { debugId: id }),
          scriptPayload(projectId, { debugId: id2, calls: ["unknown"] }),
          ...Array.from({ length: 30 }, () => scriptPayload(projectId, { platform: "python", calls: ["q"] })),
        ]
        const node = yield* recorderNode
        // Loads the maps into memory.
        yield* node.record(
          scriptPayload(projectId, { debugId: id }),
          scriptPayload(projectId, { debugId: id2 }),
        )
        yield* node.record(...payloads)
        const states = yield* Effect.forEach(payloads.slice(0, 4), ({ eventId }) =>
          stateOf(projectId, eventId),
        )
        expect(states).toEqual([
          "resolved",
          "unprocessed",
          "failed: source_map_malformed",
          "failed: position_not_mapped",
        ])
        const ids = yield* Effect.forEach(payloads, ({ eventId }) => reportOf(projectId, eventId))
        expect(ids.map((report) => report.id)).toEqual(ids.map((report) => report.id).sort((a, b) => a - b))
      }).pipe(Effect.scoped),
    ),

    ...(["blobsAreAway", "isOverBudget"] as const).map((what) =>
      contractCase(
        `queues events that cannot be mapped now, and maps them later: ${what}`,
        Effect.gen(function* () {
          const projectId = yield* given
          yield* upload(projectId, mapOf(names))
          const payload = scriptPayload(projectId, { debugId: id })
          let isSo = true
          const node = { [what]: () => isSo }
          yield* recordScripts(node, payload)
          expect(yield* stateOf(projectId, payload.eventId)).toBe("queued")
          // The report stays queued, however long that lasts.
          for (let minute = 0; minute < 20; minute++) {
            expect(yield* workOff(node)).toBe(1)
            expect(yield* workOff(node)).toBe(0)
            expect(yield* stateOf(projectId, payload.eventId)).toBe("queued")
            yield* advance("1 minute")
          }
          isSo = false
          yield* onSecondNode(workOff(node))
          expect(yield* stateOf(projectId, payload.eventId)).toBe("resolved")
        }),
      ),
    ),

    contractCase(
      "calls an unavailable store every few seconds, not once per event",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names))
        const payloads = [1, 2, 3].map(() => scriptPayload(projectId, { debugId: id }))
        let asked = 0
        const blobsAreAway = () => {
          asked++
          return true
        }
        yield* recordScripts({ blobsAreAway }, ...payloads)
        expect(asked).toBeLessThan(10)
        for (const { eventId } of payloads) expect(yield* stateOf(projectId, eventId)).toBe("queued")
      }),
    ),

    contractCase(
      "gives up on a report after several attempts that did not finish",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names))
        const payload = scriptPayload(projectId, { debugId: id })
        const store = yield* SourcemapReportStore
        yield* recordScripts({ blobsAreAway: () => true }, payload)
        for (let i = 0; i < 4; i++) {
          const leased = yield* store.lease({ limit: 10, perProject: 10, duration: Duration.minutes(5) })
          expect(leased).toHaveLength(1)
          yield* advance("6 minutes")
        }
        yield* workOff({})
        expect(yield* stateOf(projectId, payload.eventId)).toBe("failed: internal")
      }),
    ),

    contractCase(
      "maps with hosted maps after recording, if an origin is authorized",
      Effect.gen(function* () {
        const projectId = yield* given
        const origins = yield* SourcemapStore
        yield* origins.insertOrigin(projectId, "https://shop.example.com", yield* DateTime.now)
        const found = scriptPayload(projectId)
        const missing = scriptPayload(projectId, { path: "https://shop.example.com/other.js" })
        const elsewhere = scriptPayload(projectId, { path: "https://other.example.com/app.js" })
        const node = { published: new Map([[app, mapOf(names)]]) }
        yield* recordScripts(node, found, missing, elsewhere)
        expect(yield* stateOf(projectId, found.eventId)).toBe("queued")
        expect(yield* stateOf(projectId, elsewhere.eventId)).toBe("blocked: origin_not_authorized")
        expect(yield* workOff(node)).toBe(2)
        expect(yield* stateOf(projectId, found.eventId)).toBe("resolved")
        expect(yield* functionsOf(projectId, found.eventId)).toEqual(["checkout", "explode"])
        expect(yield* stateOf(projectId, missing.eventId)).toBe("not_found: hosted_not_found")
      }),
    ),

    contractCase(
      "names the disabled policy or missing origin behind an unmapped report, until a map is uploaded",
      Effect.gen(function* () {
        const projectId = yield* given
        const origins = yield* SourcemapStore
        const policies = yield* PolicyStore
        yield* origins.insertOrigin(projectId, "https://shop.example.com", yield* DateTime.now)
        const save = (enabled: boolean) =>
          Effect.flatMap(DateTime.now, (now) => policies.save("hostedSourcemaps", { enabled }, now))
        yield* Effect.acquireRelease(save(false), () => Effect.orDie(save(true)))
        const payload = scriptPayload(projectId, { release: "shop@1" })
        const elsewhere = scriptPayload(projectId, { path: "https://other.example.com/app.js" })
        yield* recordScripts({}, payload, elsewhere)
        expect(yield* stateOf(projectId, payload.eventId)).toBe("blocked: hosted_fetching_disabled")
        expect(yield* stateOf(projectId, elsewhere.eventId)).toBe("blocked: origin_not_authorized")
        const [disabled, foreign] = [
          refusal(yield* Effect.exit(retry(projectId, payload.eventId))),
          refusal(yield* Effect.exit(retry(projectId, elsewhere.eventId))),
        ]
        expect(disabled).toMatchObject({ _tag: "NoSourceMapAvailable", isFetchingDisabled: true })
        expect(foreign).toMatchObject({ _tag: "NoSourceMapAvailable", isFetchingDisabled: false })
        yield* upload(projectId, mapOf(names), { release: "shop@1" })
        expect(yield* workOff({})).toBe(1)
        expect(yield* stateOf(projectId, payload.eventId)).toBe("resolved")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "maps events recorded before a recorder sees a new origin",
      Effect.gen(function* () {
        const projectId = yield* given
        const node = yield* recorderNode
        yield* node.record(scriptPayload(projectId))
        const user = yield* Given.user({ role: "admin" })
        yield* Effect.gen(function* () {
          const access = yield* AccessPolicy.AccessPolicy
          const origins = yield* SourcemapOrigins
          const project = yield* access
            .project("project.administer", projectId)
            .pipe(Effect.provideService(CurrentActor, Actor.Person({ user })))
          yield* origins.create(project, "https://shop.example.com")
        }).pipe(
          Effect.provide(SourcemapOrigins.Default),
          Effect.provide(AccessPolicy.layer),
          Effect.provide(yield* Layer.build(SourcemapArrivals.layer)),
        )
        const after = scriptPayload(projectId)
        yield* node.record(after)
        expect(yield* stateOf(projectId, after.eventId)).toBe("not_found: no_debug_id_or_release")
        yield* advance("7 seconds")
        const published = new Map([[app, mapOf(names)]])
        const worked = Effect.tap(workOff({ published }), onRealClock(Effect.sleep("5 millis")))
        yield* Effect.repeat(worked, { until: (count) => count > 0, times: 400 })
        expect(yield* stateOf(projectId, after.eventId)).toBe("resolved")
      }).pipe(Effect.scoped),
    ),

    contractCase(
      "reports an uploaded map that the blob store has lost as missing",
      Effect.gen(function* () {
        const projectId = yield* given
        const map = mapOf({ ...names, lost: ["lost", "src/lost.ts"] })
        yield* upload(projectId, map, { debugId: id })
        const blobs = yield* BlobStore
        yield* blobs.remove([sha256(map)])
        const payload = scriptPayload(projectId, { debugId: id })
        yield* recordScripts({}, payload)
        yield* workOff({})
        expect(yield* stateOf(projectId, payload.eventId)).toBe("failed: artifact_missing")
      }),
    ),

    contractCase(
      "maps reports that arrived before their map, and groups later reports with them",
      Effect.gen(function* () {
        const projectId = yield* given
        const early = scriptPayload(projectId, { debugId: id })
        yield* recordScripts({}, early)
        const group = yield* onlyGroupOf(projectId)
        yield* upload(projectId, mapOf(names))
        expect(yield* stateOf(projectId, early.eventId)).toBe("queued")
        expect(yield* workOff({})).toBe(1)
        const report = yield* reportOf(projectId, early.eventId)
        expect(report).toMatchObject({
          sourcemapStatus: "resolved",
          culprit: "src/price.ts in explode",
          groupId: group.id,
        })
        yield* advance("1 minute")
        const later = scriptPayload(projectId, { debugId: id })
        yield* recordScripts({}, later)
        expect(yield* onlyGroupOf(projectId)).toMatchObject({ id: group.id, reportsCount: 2 })
        expect(yield* notesOf(projectId, group.id)).toEqual([])
      }),
    ),

    contractCase(
      "keeps two groups of one error, and adds one note to each",
      Effect.gen(function* () {
        const projectId = yield* given
        const early = [1, 2].map(() => scriptPayload(projectId, { debugId: id }))
        yield* recordScripts({}, ...early)
        const group = yield* onlyGroupOf(projectId)
        yield* upload(projectId, mapOf(renamed), { debugId: id2 })
        yield* recordScripts({}, scriptPayload(projectId, { debugId: id2, calls: ["x", "y"] }))
        const twin = (yield* groupsOf(projectId)).find((other) => other.id !== group.id)!
        yield* upload(projectId, mapOf(names), { debugId: id })
        expect(yield* workOff({})).toBe(2)
        expect((yield* reportOf(projectId, early[0]!.eventId)).groupId).toBe(group.id)
        expect(yield* notesOf(projectId, group.id)).toEqual([
          `May be the same error as group ${twin.id}: with mapped frames, their reports have the same grouping`,
        ])
        expect(yield* notesOf(projectId, twin.id)).toHaveLength(1)
        const [now] = (yield* groupsOf(projectId)).filter((other) => other.id === twin.id)
        expect(now).toMatchObject({ reportsCount: 1, notesCount: 1 })
      }),
    ),

    contractCase(
      "queues a report again for an admin if a new attempt may succeed",
      Effect.gen(function* () {
        const projectId = yield* given
        const payload = scriptPayload(projectId, { debugId: id })
        const other = scriptPayload(projectId, { platform: "python" })
        yield* recordScripts({}, payload, other)
        expect(refusal(yield* Effect.exit(retry(projectId, payload.eventId)))).toMatchObject({
          _tag: "NoSourceMapAvailable",
          status: "not_found",
          failureCode: "artifact_not_uploaded",
        })
        expect(refusal(yield* Effect.exit(retry(projectId, other.eventId)))).toMatchObject({
          _tag: "NotJavaScript",
          status: "unprocessed",
          attemptedAt: null,
        })
        // An upload without a notification.
        yield* uploadMap(projectId, mapOf(names), { debugId: id })
        expect(yield* retry(projectId, payload.eventId)).toMatchObject({ result: "queued", status: "queued" })
        expect(yield* retry(projectId, payload.eventId)).toMatchObject({ result: "in_progress" })
        yield* workOff({})
        expect(yield* retry(projectId, payload.eventId)).toMatchObject({
          result: "resolved",
          status: "resolved",
        })
      }),
    ),

    contractCase(
      "maps as many scripts of a report as its limit allows, and does not call it resolved",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names), { debugId: null, release: "shop@1" })
        const { maxScripts } = (yield* ErrataConfig).sourcemaps
        const others = Array.from({ length: maxScripts }, (_, i) => `https://shop.example.com/${i}.js`)
        const few = [...others.slice(1), app]
        const many = [...others, app]
        const [within, beyond] = [few, many].map((paths) =>
          scriptPayload(projectId, { release: "shop@1", calls: paths.map(() => "a"), paths }),
        ) as [Payload, Payload]
        yield* recordScripts({}, within, beyond)
        expect(yield* stateOf(projectId, within.eventId)).toBe("resolved")
        expect(yield* stateOf(projectId, beyond.eventId)).toBe("failed: limit_exceeded")
        const { frames } = yield* reportOf(projectId, beyond.eventId)
        expect(new TextDecoder().decode(frames!)).toContain("checkout")
      }),
    ),

    contractCase(
      "groups by mapped frames if the maps of an event exceed the memory for maps",
      Effect.gen(function* () {
        const projectId = yield* given
        const vendor = app.replace("app.js", "vendor.js")
        const payloads: Array<Payload> = []
        for (const [release, [outer, inner]] of [
          ["shop@1", ["a", "b"]],
          ["shop@2", ["x", "y"]],
        ] as const) {
          // Two maps fit into the map memory one at a time, but not together. Maps of the second build never fit.
          const padding = { pad: ["", "p".repeat(release === "shop@1" ? 2_000 : 8_000)] } as const
          yield* upload(projectId, mapOf({ [outer]: names["a"]!, ...padding }), { release })
          const url = "~/assets/vendor.js.map"
          yield* upload(projectId, mapOf({ [inner]: names["b"]!, ...padding }), { release, url })
          payloads.push(scriptPayload(projectId, { release, calls: [outer, inner], paths: [app, vendor] }))
        }
        const config = yield* ErrataConfig
        const sourcemaps = { ...config.sourcemaps, cacheBytes: 5_000 }
        yield* recordScripts({}, ...payloads).pipe(
          Effect.provideService(ErrataConfig, { ...config, sourcemaps }),
        )
        expect(yield* onlyGroupOf(projectId)).toMatchObject({
          culprit: "src/price.ts in explode",
          reportsCount: 2,
        })
        for (const { eventId } of payloads) expect(yield* stateOf(projectId, eventId)).toBe("resolved")
      }),
    ),

    contractCase(
      "uses names of the script if its map has no sources, by its release and by its id",
      Effect.gen(function* () {
        const projectId = yield* given
        // The map has no name for `a`, so it comes from the script.
        const open = mapOf({ a: ["", "src/cart.ts"], b: ["explode", "src/price.ts"] })
        const script = mapOf(names)
        const payloads = [
          scriptPayload(projectId, { release: "shop@1" }),
          scriptPayload(projectId, { debugId: id }),
        ]
        yield* uploadMap(projectId, open, { release: "shop@1", debugId: id, script })
        yield* recordScripts({}, ...payloads)
        for (const { eventId } of payloads) {
          expect(yield* stateOf(projectId, eventId)).toBe("resolved")
          expect(yield* functionsOf(projectId, eventId)).toEqual(["checkout", "explode"])
        }
      }),
    ),

    contractCase(
      "queues no report again because of a script beyond the limit of an attempt",
      Effect.gen(function* () {
        const projectId = yield* given
        yield* upload(projectId, mapOf(names), { release: "shop@1" })
        const { maxScripts } = (yield* ErrataConfig).sourcemaps
        const others = Array.from({ length: maxScripts }, (_, i) => `https://shop.example.com/${i}.js`)
        const paths = [app, ...others]
        const payload = scriptPayload(projectId, { release: "shop@1", calls: paths.map(() => "a"), paths })
        yield* recordScripts({}, payload)
        expect(yield* stateOf(projectId, payload.eventId)).toBe("failed: limit_exceeded")
        expect(refusal(yield* Effect.exit(retry(projectId, payload.eventId)))).toMatchObject({
          _tag: "NoSourceMapAvailable",
        })
      }),
    ),
  ],
}
