import { type Services, StorageError } from "@errata/core"
import { ProjectStore, UserStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as GroupListeners from "../src/GroupListeners.js"
import { ErrataClosedError, type GroupEvents } from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"

describe("listeners", () => {
  const make = instances()
  // Before the instances are closed, and for all tests of this thread.
  afterEach(() => {
    vi.useRealTimers()
  })
  const names = [
    "group.created",
    "group.resolved",
    "group.unresolved",
    "group.muted",
    "group.unmuted",
    "group.merged",
    "group.assigned",
  ] as const satisfies ReadonlyArray<keyof GroupEvents>

  it("receive the events of groups in order, as webhooks do", async () => {
    const errata = await make()
    const { id: project } = errata.project
    const told: Array<GroupEvents[keyof GroupEvents]> = []
    for (const name of names) errata.on(name, (event) => void told.push(event))
    const fail = (message: string) =>
      errata.capture(new Error(message), { fingerprint: [message], release: "1.1" })

    await fail("one")
    await fail("two")
    await errata.flush()
    const { groups } = await errata.groups.list(project)
    const [two, one] = groups.map(({ id }) => id) as [number, number]
    const user = await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "admin" })
    await errata.asUser(user.id).groups.resolve(project, one)
    await fail("one")
    await errata.flush()
    await errata.groups.mute(project, one)
    await errata.groups.unmute(project, one)
    await errata.groups.assign(project, one, user.id)
    await errata.groups.bulkMerge(project, one, [two])
    await errata.flush()

    expect(told.map(({ event, group_id: id }) => [event, id])).toEqual([
      ["group.created", one],
      ["group.created", two],
      ["group.resolved", one],
      ["group.unresolved", one],
      ["group.muted", one],
      ["group.unmuted", one],
      ["group.assigned", one],
      ["group.merged", one],
    ])
    expect(told[0]).toEqual({
      event: "group.created",
      project_id: project,
      group_id: one,
      occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: null,
      group: expect.objectContaining({ id: one, error_message: "one", reports_count: 1, resolved: false }),
    })
    expect(told[2]).toMatchObject({ actor: { id: user.id, name: "Ann" } })
    expect(told[3]).toMatchObject({
      reason: "new_report",
      release_version: "1.1",
      previous_resolver_id: user.id,
      previous_resolver_name: "Ann",
    })
    expect(told[7]).toMatchObject({ source_ids: [two] })
  })

  it("that throw or reject do not affect others, and ended ones receive nothing", async () => {
    const lines: Array<string> = []
    const errata = await make({ log: ({ level, message }) => lines.push(`${level}: ${message}`) })
    const heard: Array<string> = []
    errata.on("group.created", () => {
      throw new Error("not now")
    })
    errata.on("group.created", () => Promise.reject(new Error("nor later")))
    const listener = () => void heard.push("same")
    const end = errata.on("group.created", listener)
    errata.on("group.created", listener)
    await errata.capture(new Error("a"), { fingerprint: ["a"] })
    await errata.flush()
    expect(heard).toEqual(["same", "same"])
    end()
    end()
    await errata.capture(new Error("b"), { fingerprint: ["b"] })
    await errata.flush()
    expect(heard).toEqual(["same", "same", "same"])
    await errata.close()
    const failures = lines.filter((line) => line.includes("A listener failed"))
    expect(failures.length).toBe(4)
    expect(failures.join()).toContain("not now")
    expect(failures.join()).toContain("nor later")
  })

  it("can call the instance", async () => {
    const errata = await make()
    errata.on("group.created", ({ group_id: id, project_id: project }) => errata.groups.resolve(project, id))
    const resolved = new Promise((resolve) => errata.on("group.resolved", resolve))
    await errata.capture(new Error("a"))
    expect(await resolved).toMatchObject({ event: "group.resolved", actor: null })
    expect((await errata.groups.list(errata.project.id)).groups).toMatchObject([{ resolved: true }])
  })

  it("do not delay closing, even if an event cannot be delivered", async () => {
    const stores = await Effect.runPromise(MemoryStorage.make)
    const asked = Deferred.makeUnsafe<void>()
    const hanging = Context.add(stores, UserStore, {
      ...Context.get(stores, UserStore),
      names: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never),
    })
    const errata = await make({ storage: { name: "hanging", layer: Layer.succeedContext(hanging) } })
    const user = await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "admin" })
    await errata.capture(new Error("a"))
    await errata.flush()
    const [group] = (await errata.groups.list(errata.project.id)).groups
    errata.on("group.resolved", () => {})
    await errata.asUser(user.id).groups.resolve(errata.project.id, group!.id)
    await Effect.runPromise(Deferred.await(asked))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const ended = Promise.all([failureOf(errata.flush({ timeout: 60_000 })), errata.close()])
    await vi.advanceTimersByTimeAsync(61_000)
    const [failure] = await ended
    expect(failure).toBeInstanceOf(ErrataClosedError)
  })

  it("interrupt waiting callers when their scope is closed", () =>
    Effect.gen(function* () {
      const stores = yield* MemoryStorage.make
      const scope = yield* Scope.make()
      const built = yield* Layer.buildWithScope(
        Layer.provide(GroupListeners.layer, Layer.succeedContext(stores)),
        scope,
      )
      const { notified } = Context.get(built, GroupListeners.GroupListeners)
      yield* notified
      yield* Scope.close(scope, Exit.void)
      expect(Exit.hasInterrupts(yield* Effect.exit(notified))).toBe(true)
    }).pipe(Effect.runPromise))

  it("receive no events of rolled back transactions", async () => {
    let fails = false
    // The last thing that a recording does in its transaction.
    const layer: Layer.Layer<Services.Stores> = Layer.effectContext(
      Effect.map(MemoryStorage.make, (context) => {
        const projects = Context.get(context, ProjectStore)
        return Context.add(context, ProjectStore, {
          ...projects,
          addCounts: (counts, now) =>
            fails
              ? new StorageError({ operation: "addCounts", reason: "unavailable", cause: new Error("away") })
              : projects.addCounts(counts, now),
        })
      }),
    )
    const errata = await make({ storage: { name: "failing", layer } })
    const told: Array<number> = []
    errata.on("group.created", ({ group_id: id }) => void told.push(id))
    fails = true
    await errata.capture(new Error("a"))
    expect(await failureOf(errata.flush({ timeout: 300 }))).toMatchObject({ code: "TimedOut" })
    expect(told).toEqual([])
    fails = false
    await errata.flush({ timeout: 30_000 })
    expect(told.length).toBe(1)
    expect((await errata.groups.list(errata.project.id)).groups.map(({ id }) => id)).toEqual(told)
  })
})
