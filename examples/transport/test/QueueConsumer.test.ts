import { setTimeout as pause } from "node:timers/promises"
import { it } from "@effect/vitest"
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  DeadLetters,
  GroupFilter,
  Groups,
  Policies,
  Projects,
  Reports,
  Services,
} from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Fiber, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { decoder } from "../JobFailure.js"
import { consume, type Message } from "../QueueConsumer.js"

const services = Services.layerRecorder.pipe(
  Layer.provideMerge(Services.layer),
  Layer.provide([MemoryStorage.layer, decoder]),
)

const failure = (message: string) =>
  JSON.stringify({
    job: "send-invoices",
    attempt: 3,
    host: "worker-7",
    failedAt: new Date().toISOString(),
    error: {
      name: "TemplateError",
      message,
      stack: [
        { file: "jobs/render.ts", line: 12, function: "render" },
        { file: "jobs/invoices.ts", line: 40, function: "sendInvoices" },
      ],
    },
  })

/** Messages that note when they are acknowledged. */
const queueOf = (bodies: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const acknowledged = yield* Ref.make<ReadonlyArray<string>>([])
    const messages = Object.entries(bodies).map(
      ([id, body]): Message => ({
        id,
        body: new TextEncoder().encode(body),
        acknowledge: Ref.update(acknowledged, (ids) => [...ids, id]),
      }),
    )
    return { messages, acknowledged }
  })

const aProject = Effect.gen(function* () {
  const projects = yield* Projects
  return yield* projects.create(yield* AccessPolicy.instance("projects.create"), { name: "Workers" })
})

/** Asks again until something is there. It waits by the real clock, also where a test sets its own. */
const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>, isThere: (value: A) => boolean) =>
  effect.pipe(
    Effect.filterOrFail(isThere, () => new Error("It is still not there")),
    Effect.tapError(() => Effect.promise(() => pause(20))),
    Effect.retry({ times: 500 }),
  )

const everything = { limit: 100, cursor: null }

const withServices = <A, E>(
  effect: Effect.Effect<A, E, Services.Services | CurrentActor>,
): Effect.Effect<A, E> =>
  effect.pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

describe("a consumer of a queue", () => {
  it.live("records what it was sent, once however often it comes, and acknowledges it", () =>
    Effect.gen(function* () {
      const project = yield* aProject
      const { acknowledged, messages } = yield* queueOf({
        one: failure("no template for invoice 17"),
        two: failure("no template for invoice 18"),
      })
      yield* consume(project.id, Stream.fromIterable([...messages, ...messages]))
      expect((yield* Ref.get(acknowledged)).toSorted()).toEqual(["one", "one", "two", "two"])

      const groups = yield* Groups
      const allowed = yield* AccessPolicy.project("groups.read", project.id)
      const { items } = yield* eventually(
        groups.list(allowed, GroupFilter.all, everything),
        ({ items: [group] }) => group?.reportsCount === 2,
      )
      expect(items).toMatchObject([{ errorType: "TemplateError", culprit: "send-invoices" }])

      const reports = yield* Reports
      const { items: listed } = yield* reports.list(
        yield* AccessPolicy.project("groups.read", project.id),
        items[0]!.id,
        { since: null, until: null },
        everything,
      )
      expect(listed).toHaveLength(2)
      const report = yield* reports.get(
        yield* AccessPolicy.project("groups.read", project.id),
        items[0]!.id,
        listed[0]!.id,
      )
      expect(report.details?.exceptions[0]?.frames.map(({ filename }) => filename)).toEqual([
        "jobs/invoices.ts",
        "jobs/render.ts",
      ])
    }).pipe(withServices),
  )

  it.live("acknowledges what is no failure of a job, and it becomes a dead letter with the reason", () =>
    Effect.gen(function* () {
      const project = yield* aProject
      const { acknowledged, messages } = yield* queueOf({ three: `{"job":"send-invoices"}` })
      yield* consume(project.id, Stream.fromIterable(messages))
      expect(yield* Ref.get(acknowledged)).toEqual(["three"])

      const deadLetters = yield* DeadLetters
      const { items } = yield* eventually(
        deadLetters.list(yield* AccessPolicy.instance("ingest.inspect"), everything),
        (page) => page.items.length === 1,
      )
      expect(items[0]?.reason).toContain("attempt")
    }).pipe(withServices),
  )

  it.effect("acknowledges nothing while the intake is paused, and goes on when it is not", () =>
    Effect.gen(function* () {
      const project = yield* aProject
      const policies = yield* Policies
      yield* policies.update(yield* AccessPolicy.instance("policies.administer"), "ingestProtection", {
        globalRateLimitPerMinute: 1,
      })
      const { acknowledged, messages } = yield* queueOf({
        four: failure("no template for invoice 19"),
        five: failure("no template for invoice 20"),
      })
      const consumer = yield* Effect.forkChild(consume(project.id, Stream.fromIterable(messages)))
      yield* eventually(Ref.get(acknowledged), (ids) => ids.length === 1)
      expect(consumer.pollUnsafe()).toBeUndefined()

      yield* TestClock.adjust("65 seconds")
      yield* Fiber.join(consumer)
      expect(yield* Ref.get(acknowledged)).toHaveLength(2)
    }).pipe(withServices),
  )
})
