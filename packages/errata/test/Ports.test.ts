/** Every port that the core exports is replaced in both doors. */
import { readFileSync } from "node:fs"
import * as core from "@errata/core"
import { defaultSettings, ingestTransport, Reports } from "@errata/core"
import * as ports from "@errata/core/ports"
import { AbsentStores, makeErrorEvent, OutboundClient, PayloadDecoder } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Context, Effect, Layer, Result, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { Capture, Errata, FirstProject } from "../src/effect.js"
import * as InstanceLayer from "../src/InstanceLayer.js"
import { createErrata, memory, NotFoundError, type ReceivedMessage } from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"

type Port = Context.Key<unknown, object>

const replaceable = Object.values<unknown>(ports).filter(
  (value): value is Port => Context.isKey(value) && !Context.isReference(value),
)

/** The port with a mark. Ports that the instance extends keep the mark. */
const marked = (port: Port, service: object) => Layer.succeed(port, { ...service, isReplaced: port.key })

const original = (port: Port): Effect.Effect<object> =>
  Effect.map(Layer.build(Layer.provideMerge(Errata.layer(), MemoryStorage.layer)), (context) =>
    Context.getUnsafe(context, port),
  ).pipe(Effect.scoped, Effect.orDie)

const make = instances()

describe.each(replaceable.map((port) => ({ port, key: port.key })))("$key is replaced", ({ port }) => {
  it("in Errata.layer and createErrata", async () => {
    const adapter = marked(port, await Effect.runPromise(original(port)))
    const isReplaced = (layer: Layer.Layer<never, unknown>) =>
      Effect.runPromise(
        Layer.build(layer).pipe(
          Effect.map((context) => Context.getUnsafe(context as Context.Context<unknown>, port)),
          Effect.scoped,
        ),
      )
    const stores = Layer.merge(MemoryStorage.layer, adapter) as typeof MemoryStorage.layer
    const layer = Layer.provideMerge(Errata.layer(), stores)
    expect(await isReplaced(layer)).toMatchObject({ isReplaced: port.key })
    const options = { storage: memory(), adapters: adapter, log: "silent" } as const
    expect(await isReplaced(InstanceLayer.make(options, defaultSettings, undefined))).toMatchObject({
      isReplaced: port.key,
    })
  })
})

describe("a storage of own ports", () => {
  it("cannot be opened without a port, and the message names all that are missing", async () => {
    const some = Layer.effectContext(
      Effect.map(MemoryStorage.make, Context.omit(ports.TargetStore, ports.GroupStore)),
    )
    const failure = await failureOf(
      createErrata({ storage: { name: "mine", layer: some as typeof MemoryStorage.layer }, log: "silent" }),
    )
    expect(failure).toMatchObject({
      code: "StartFailed",
      message:
        "createErrata failed: the storage mine lacks ports: GroupStore, TargetStore. See docs/adapters.md",
    })
  })

  it("works without the optional parts, and rejects writes to them", async () => {
    const layer = Layer.merge(MemoryStorage.layer, AbsentStores.layer)
    const errata = await make({ storage: { name: "mine", layer } })
    const project = errata.project.id
    await errata.capture(new RangeError("no cups"), { tags: { kettle: "blue" } })
    await errata.flush()
    const { groups } = await errata.groups.list(project, { query: "kettle:blue" })
    expect(groups).toMatchObject([{ error_message: "no cups", reports_count: 1 }])
    const id = groups[0]!.id
    const { reports } = await errata.reports.list(project, id)
    expect(await errata.reports.get(project, id, reports[0]!.id)).toMatchObject({ error_type: "RangeError" })
    await errata.groups.resolve(project, id)
    expect(await errata.groups.get(project, id)).toMatchObject({ resolved: true })
    expect((await errata.webhooks.list(project)).webhooks).toEqual([])
    expect((await errata.apps.list()).apps).toEqual([])
    expect(await failureOf(errata.apps.create({ name: "Tea" }))).toMatchObject({
      status: 422,
      errors: { base: ["cannot be stored: the storage does not support apps"] },
    })
    const upload = { release: "shop@1.4.0", files: [{ name: "~/app.js", content: Buffer.from("1") }] }
    expect(await failureOf(errata.artifacts.upload(project, upload))).toMatchObject({
      status: 422,
      errors: { base: ["cannot be stored: the storage does not support source maps"] },
      cause: { cause: { _tag: "PortAbsent", member: "ArtifactStore.announceBlobs" } },
    })
  })

  /** All jobs of `Services.layerBackground`. */
  it("lets every background job succeed without the optional parts", async () => {
    const stores = Layer.merge(MemoryStorage.layer, AbsentStores.layer)
    const jobs = Effect.flatMap(ports.JobStore, ({ list }) => list).pipe(
      Effect.map((state) => state.jobs),
      Effect.repeat({
        schedule: Schedule.spaced("20 millis"),
        until: (jobs) =>
          jobs.length >= 22 &&
          jobs.every(({ failedAt, succeededAt }) => failedAt !== null || succeededAt !== null),
      }),
      Effect.provide(Layer.provideMerge(Errata.layer(), stores)),
    )
    const states = await Effect.runPromise(jobs)
    expect(states.filter(({ failedAt }) => failedAt !== null)).toEqual([])
  })
})

describe("the adapter guide", () => {
  /** Exports of the core that no adapter implements, with the reason. */
  const others: Readonly<Record<string, string>> = {
    Cost: "how slow the hash of passwords is: tests lower it",
  }

  it("names every port that the core exports, and no other", () => {
    const values = Object.values<unknown>({ ...core, ...ports })
    const modules = values.flatMap((value) =>
      typeof value === "object" && value !== null && !Context.isKey(value) ? Object.values(value) : [],
    )
    const exported = [...values, ...modules]
      .filter((value): value is Port => Context.isKey(value) && !("make" in value))
      .map(({ key }) => key.split("/").at(-1)!)
    const guide = readFileSync(new URL("../../../docs/adapters.md", import.meta.url), "utf8")
    const named = guide
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => Array.from(line.split("|")[1]!.matchAll(/`([A-Z]\w+)`/g), ([, name]) => name!))
    const known = new Set(exported.filter((name) => !(name in others)))
    const outcomes = ["Accepted", "Later", "Refused"]
    // A port of another package.
    const foreign = ["SourceMapEngine"]
    expect(named.filter((name) => !outcomes.includes(name)).toSorted()).toEqual(
      [...known, ...foreign].toSorted(),
    )
  })
})

/** Decodes every payload to the same error. */
const decoder = Layer.succeed(PayloadDecoder, {
  decode: ({ eventId, receivedAt }) =>
    Result.succeed({
      event: makeErrorEvent({
        eventId,
        occurredAt: receivedAt,
        exceptions: [{ type: "Custom", value: "decoded here", frames: [] }],
      }),
      attachments: [],
      feedback: [],
      discarded: [],
    }),
  example: () => ({ kind: "event", body: new Uint8Array() }),
})

describe("a replaced port is used", () => {
  it("a decoder by Errata.layer", async () => {
    const { AccessPolicy, Actor, CurrentActor } = core
    const program = Effect.gen(function* () {
      const eventId = yield* (yield* Capture).capture(new Error("a"))
      const project = yield* AccessPolicy.project("groups.read", (yield* FirstProject).id)
      const found = (yield* Reports).findByEventId(project, eventId)
      return yield* Effect.retry(found, { schedule: Schedule.spaced("20 millis"), times: 3_000 })
    })
    const layer = Layer.provideMerge(Errata.layer(), Layer.merge(MemoryStorage.layer, decoder))
    const report = await Effect.runPromise(
      program.pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(layer)),
    )
    expect(report).toMatchObject({ errorType: "Custom", errorMessage: "decoded here" })
  })

  it("a decoder by createErrata", async () => {
    const errata = await make({ adapters: decoder })
    const eventId = await errata.capture(new Error("a"))
    await errata.flush()
    expect(await errata.reports.findByEventId(errata.project.id, eventId)).toMatchObject({
      error_message: "decoded here",
    })
  })

  it("a transport by createErrata, next to Sentry's", async () => {
    const jobs = ingestTransport({
      kind: "job",
      decode: (body) => {
        const { message } = JSON.parse(new TextDecoder().decode(body))
        return { exceptions: [{ type: "Job", value: message, frames: [] }] }
      },
      reply: (outcome) => outcome,
    })
    const errata = await make({ transports: [jobs] })
    const send = (id: string, text: string, project?: ReceivedMessage["project"]) =>
      errata.receive(jobs, { id, body: new TextEncoder().encode(text), project })
    const { id, token } = errata.project
    expect(await send("a", `{"message":"one"}`)).toMatchObject({ _tag: "Accepted" })
    expect(await send("a", `{"message":"one"}`, { token })).toMatchObject({ _tag: "Accepted" })
    expect(await send("b", "not JSON", id)).toMatchObject({ _tag: "Accepted" })
    expect(await send("c", "x".repeat(2_000_000))).toEqual({ _tag: "Refused", reason: "size" })
    expect(await send("d", "{}", { token: "0".repeat(32) })).toEqual({ _tag: "Refused", reason: "token" })
    await errata.capture(new Error("two"))
    await errata.flush()
    const { groups } = await errata.groups.list(id)
    expect(groups.map((group) => [group.error_message, group.reports_count])).toEqual([
      ["two", 1],
      ["one", 1],
    ])
    const { dead_letters: letters } = await errata.deadLetters.list()
    expect(letters).toMatchObject([{ reason: expect.stringContaining("JSON") }])
    const unknown = ingestTransport({ ...jobs, kind: "unknown" })
    expect(await failureOf(errata.receive(unknown, { id: "e", body: new Uint8Array() }))).toBeInstanceOf(
      TypeError,
    )
  })

  it("an outbound client by createErrata", async () => {
    const sent: Array<string> = []
    const outbound = Layer.succeed(OutboundClient, {
      send: ({ url }) =>
        Effect.sync(() => {
          sent.push(String(url))
          return { status: 204, headers: {}, body: new Uint8Array() }
        }),
      download: () => Effect.die(new Error("nothing is fetched")),
    })
    const errata = await make({ adapters: outbound })
    const { id } = errata.project
    const hook = await errata.webhooks.create(id, { url: "http://10.0.0.1/", events: ["group.created"] })
    expect(await errata.webhooks.test(id, hook.id)).toMatchObject({ success: true })
    expect(sent).toEqual(["http://10.0.0.1/"])
  })
})

describe("a transport", () => {
  const make = instances()

  it("rejects a message without bytes, and a promise as an event", async () => {
    const reply = ({ _tag }: { readonly _tag: string }) => _tag
    const late = ingestTransport({ kind: "late", decode: (async () => ({})) as never, reply })
    const errata = await make({ transports: [late] })
    const body = Buffer.from("tea")
    for (const message of [{ id: "a", body: "tea" }, { id: "a" }, { body }, { id: 1, body }]) {
      const failure = await failureOf(errata.receive(late, message as never))
      expect(failure).toBeInstanceOf(TypeError)
      expect((failure as Error).message).toMatch(/^A message needs its id as a text, and its body/)
    }
    expect(await failureOf(errata.receive(late, { id: "a", body, project: 99 }))).toBeInstanceOf(
      NotFoundError,
    )
    expect(await errata.receive(late, { id: "a", body })).toBe("Accepted")
    await errata.flush()
    expect((await errata.deadLetters.list()).dead_letters).toMatchObject([
      { reason: "decode of the transport returned no event. It must not be asynchronous" },
    ])
  })

  it("needs a kind of its own", async () => {
    const transportOf = (kind: string) => ingestTransport({ kind, decode: () => ({}), reply: () => null })
    for (const kind of ["", "event", "envelope"]) {
      expect(() => transportOf(kind)).toThrow(`must be a name of its own, not "${kind}"`)
    }
    expect(await failureOf(make({ transports: [transportOf("jobs"), transportOf("jobs")] }))).toMatchObject({
      message: "createErrata failed: Two transports have the same kind",
    })
  })
})
