/** Reading in a separate thread with limits. */
import { defaultSettings, ErrataConfig, type ProjectId } from "@errata/core"
import type { Frame } from "@errata/core/ports"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Engine } from "../src/index.js"
import * as ReadingThread from "../src/ReadingThread.js"
import { type MappedScript, ReadingBudgetUsed, type SourceMapEngine } from "../src/SourceMapEngine.js"
import { threadText as builtText } from "../src/ThreadText.js"
import { Turns } from "../src/Turns.js"
import { encodeMappings } from "./support/Encode.js"
import { inCaller } from "./support/InCaller.js"

const [projectId, other] = [1, 2] as ReadonlyArray<number> as [ProjectId, ProjectId]
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const threadText = builtText!

/** Hangs on maps that contain "hang", after it said so. */
const hanging = `
const { BroadcastChannel, parentPort } = require("node:worker_threads")
parentPort.on("message", (job) => {
  if (job.kind !== "map" || !Buffer.from(job.bytes).includes("hang")) return
  new BroadcastChannel("hanging").postMessage(null)
  while (true) {}
})
${threadText}`

const hangs = Effect.callback<void>((resume) => {
  const channel = new BroadcastChannel("hanging")
  channel.onmessage = () => {
    channel.close()
    resume(Effect.void)
  }
})

/** Reports the number of buffers that the thread transfers instead of copying. */
const counting = `
const { parentPort } = require("node:worker_threads")
const post = parentPort.postMessage.bind(parentPort)
parentPort.postMessage = (answer, moved = []) => post({ ...answer, names: [String(moved.length)] }, moved)
${threadText}`

const withEngine = <A, E>(text: string, use: (engine: SourceMapEngine["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    ReadingThread.make(text, maxReading).pipe(
      Effect.flatMap(Engine.make),
      Effect.flatMap(use),
      Effect.scoped,
      Effect.provideService(ErrataConfig, {
        ...defaultSettings,
        sourcemaps: { ...defaultSettings.sourcemaps, maxReading },
      }),
    ),
  )

const maxReading = Duration.seconds(60)

const plain = {
  version: 3,
  sources: ["../src/a.ts"],
  names: ["a"],
  mappings: encodeMappings([[[0, 0, 1, 2, 0]]]),
}

const program = Array.from(
  { length: 20_000 },
  (_, i) => `export function work${i}() {\n  return boom(${i}, "item")\n}\n`,
)

it("names the functions of a source with 20,000 of them", () =>
  withEngine(threadText, (engine) =>
    Effect.gen(function* () {
      const content = program.join("")
      expect(content.length).toBeGreaterThan(1_000_000)
      const mappings = encodeMappings([
        [
          [0, 0, 1, 2],
          [20, 0, 59_998, 2],
        ],
      ])
      const map = Result.getOrThrow(
        yield* engine.read(bytes({ ...plain, mappings, sourcesContent: [content] }), projectId),
      )
      const script: MappedScript = { map, mapUrl: "", sourceAt: () => null, functions: () => null }
      const frames = [5, 25].map((colno): Frame => ({ filename: "app.js", function: "x", lineno: 1, colno }))
      const { unread } = engine.map(frames, () => script, null)
      expect(unread).toHaveLength(1)
      const texts = yield* engine.readTexts(unread, projectId)
      const resolved = engine.map(frames, () => script, texts)
      expect(resolved.frames.map((frame) => frame.function)).toEqual(["work0", "work19999"])
      // Cached for the next report.
      expect(engine.map(frames, () => script, null)).toEqual({ ...resolved, unread: [] })
    }),
  ))

it("returns the same results with and without the thread", async () => {
  const functions = [[{ names: ["<global>", "checkout"], mappings: "AAA;wBCC;ADE" }]]
  const json = bytes({ ...plain, x_facebook_sources: functions })
  const read = Effect.fnUntraced(function* (engine: SourceMapEngine["Service"]) {
    const map = Result.getOrThrow(yield* engine.read(json, projectId))
    const script = yield* engine.readScript(new TextEncoder().encode("function a() { b() }"), map, projectId)
    return { map, script, fault: yield* engine.read(bytes({ version: 3 }), projectId) }
  })
  const threaded = await withEngine(threadText, read)
  expect(threaded).toStrictEqual(await Effect.runPromise(Effect.flatMap(Engine.make(inCaller), read)))
})

it("transfers the tables of a map from the thread without a copy", () =>
  withEngine(counting, (engine) =>
    Effect.gen(function* () {
      const map = Result.getOrThrow(yield* engine.read(bytes(plain), projectId))
      expect(map).toMatchObject({ names: ["7"] })
      expect(map).toHaveProperty("mappings.size", 1)
    }),
  ))

it("ends a job that takes too long, does not repeat it, and continues with others", () =>
  withEngine(hanging, (engine) =>
    Effect.gen(function* () {
      const slow = engine.read(bytes({ ...plain, file: "hang" }), projectId)
      const began = yield* Effect.forkChild(hangs, { startImmediately: true })
      const reading = yield* Effect.forkChild(slow)
      yield* Fiber.join(began)
      yield* TestClock.adjust(maxReading)
      expect(Result.getFailure(yield* Fiber.join(reading))).toMatchObject({
        value: { code: "limit_exceeded" },
      })
      expect(Result.isSuccess(yield* engine.read(bytes(plain), other))).toBe(true)
      expect(Result.getFailure(yield* slow)).toMatchObject({ value: { code: "limit_exceeded" } })
    }).pipe(Effect.provide(TestClock.layer())),
  ))

const onTestClock = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()))

it("serves the project with the least usage first", () =>
  onTestClock(
    Effect.gen(function* () {
      const turns = new Turns({ work: 10_000, window: 60_000 })
      const order: Array<string> = []
      const work = (id: ProjectId, name: string) =>
        Effect.forkChild(
          turns.in(
            id,
            Effect.andThen(
              Effect.sync(() => order.push(name)),
              Effect.sleep("1 second"),
            ),
          ),
        )
      const fibers = [
        yield* work(projectId, "a1"),
        yield* work(projectId, "a2"),
        yield* work(projectId, "a3"),
      ]
      yield* Effect.yieldNow
      fibers.push(yield* work(other, "b1"))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fibers[1]!)
      yield* TestClock.adjust("4 seconds")
      expect(order).toEqual(["a1", "b1", "a3"])
    }),
  ))

it("refuses a project whose budget is used until the next window, and no other", () =>
  onTestClock(
    Effect.gen(function* () {
      const turns = new Turns({ work: 1_000, window: 60_000 })
      const work = (id: ProjectId) => turns.in(id, Effect.sleep("1 second"))
      const refusal = Result.fail(new ReadingBudgetUsed())
      const first = yield* Effect.forkChild(work(projectId))
      // The budget is unused when it starts to wait and used up when its turn comes.
      const second = yield* Effect.forkChild(Effect.result(work(projectId)))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      expect(yield* Fiber.join(second)).toEqual(refusal)
      expect(yield* Effect.result(work(projectId))).toEqual(refusal)
      const third = yield* Effect.forkChild(work(other))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(third)
      yield* TestClock.adjust("58 seconds")
      const fourth = yield* Effect.forkChild(work(projectId))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fourth)
    }),
  ))
