/** Listeners of several nodes on one database: on every node, or on one of those that share a queue. */
import { type ChildProcess, spawn } from "node:child_process"
import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { buildProgram } from "../../../test/Program.js"
import { type Errata, type ErrataOptions, memory } from "../src/index.js"
import { postgres } from "../src/postgres.js"
import { instances } from "./support/Instances.js"

const waiting = { timeout: 60_000 }

describe("listeners of several nodes", () => {
  const make = instances()
  const scope = Effect.runSync(Scope.make())
  let url = ""
  let program = ""
  beforeAll(async () => {
    program = await buildProgram("listener", new URL("support/listener.ts", import.meta.url))
    const made = TestDatabase.make(Redacted.make(inject("databaseServer")))
    url = Redacted.value(await Effect.runPromise(Scope.provide(made, scope)))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const start = (project: string, options: Partial<ErrataOptions> = {}) =>
    make({ storage: postgres({ url }), project, ...options })

  const fail = async (errata: Errata, ...messages: ReadonlyArray<string>) => {
    for (const message of messages) await errata.capture(new Error(message), { fingerprint: [message] })
  }

  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }

  /** Sets the database's clock ahead, as if all that time had passed. */
  const advance = (minutes: number) =>
    query(`
      CREATE OR REPLACE FUNCTION errata.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
      RETURN statement_timestamp() + INTERVAL '${minutes} minutes'`)

  it("receive only their project's events, on every node", async () => {
    const [shop, shop2, blog] = [await start("Shop"), await start("Shop"), await start("Blog")]
    const heard: Record<string, Array<string>> = { shop: [], shop2: [], blog: [], all: [], two: [] }
    shop.on("group.created", ({ group }) => void heard.shop!.push(group.error_message))
    shop2.on("group.created", ({ group }) => void heard.shop2!.push(group.error_message))
    blog.on("group.created", ({ group }) => void heard.blog!.push(group.error_message))
    blog.on("group.created", ({ group }) => void heard.all!.push(group.error_message), { project: "all" })
    blog.on("group.created", ({ group }) => void heard.two!.push(group.error_message), {
      project: [shop.project, blog.project.id],
    })
    // Each is known to the database.
    for (const errata of [shop, shop2, blog]) await errata.flush(waiting)
    const messages = Array.from({ length: 40 }, (_, i) => `shop ${i}`)
    await Promise.all([
      fail(shop, ...messages.slice(0, 20)),
      fail(shop2, ...messages.slice(20)),
      fail(blog, "blog 1", "blog 2"),
    ])
    const [mine, theirs] = [messages.sort(), ["blog 1", "blog 2"]]
    const both = [...theirs, ...mine]
    await expect
      .poll(
        () => Object.fromEntries(Object.entries(heard).map(([name, some]) => [name, some.sort()])),
        waiting,
      )
      .toEqual({ shop: mine, shop2: mine, blog: theirs, all: both, two: both })
  })

  it("receive each event on one of the nodes that share a queue, in the order of the group", async () => {
    const [one, other] = [await start("Orders"), await start("Orders")]
    const heard: Array<readonly [node: string, event: string, group: number]> = []
    for (const [name, errata] of [["one", one] as const, ["other", other] as const]) {
      for (const event of ["group.created", "group.resolved", "group.unresolved"] as const) {
        errata.on(event, ({ group_id: id }) => void heard.push([name, event, id]), { queue: "orders" })
      }
    }
    await Promise.all([one.flush(waiting), other.flush(waiting)])
    await fail(one, ...Array.from({ length: 20 }, (_, i) => `order ${i}`))
    await one.flush({ timeout: 30_000 })
    const { groups } = await one.groups.list(one.project.id, { limit: 50 })
    await Promise.all(
      groups.map(async ({ id }, i) => {
        const errata = i % 2 === 0 ? one : other
        await errata.groups.resolve(one.project.id, id)
        await errata.groups.unresolve(one.project.id, id)
      }),
    )
    await expect.poll(() => heard.length, waiting).toBe(60)
    for (const { id } of groups) {
      expect(heard.filter(([, , group]) => group === id).map(([, event]) => event)).toEqual([
        "group.created",
        "group.resolved",
        "group.unresolved",
      ])
    }
    // An event leaves the outbox after its listener has finished.
    await expect
      .poll(() => query("SELECT consumer FROM errata.consumer_events WHERE consumer LIKE 'queue/%'"), waiting)
      .toEqual([])
  })

  it("receive the unfinished events of a killed node, and those that arrived without a listener", async () => {
    const shop = await start("Killed")
    const { lines, node } = spawnListener("Killed", "mail")
    await expect.poll(() => lines(), waiting).toContain("ready")
    await fail(shop, "first")
    await expect.poll(() => lines().sort(), waiting).toEqual(["every first", "queue first", "ready"])
    node.kill("SIGKILL")
    await fail(shop, "second")
    await shop.flush({ timeout: 30_000 })
    const heard: Array<string> = []
    shop.on("group.created", ({ group }) => void heard.push(group.error_message), { queue: "mail" })
    await expect.poll(() => heard, waiting).toContain("second")
    await advance(2)
    await expect.poll(() => [...heard].sort(), waiting).toEqual(["first", "second"])
    // The killed node's own events go with its subscription.
    const waitingForIt = () =>
      query("SELECT consumer FROM errata.consumer_events WHERE consumer LIKE 'node/%'")
    expect((await waitingForIt()).length).toBeGreaterThan(0)
    await advance(10)
    const after = await start("Killed", { settings: { backgroundInterval: "1 second" } })
    await expect.poll(async () => (await waitingForIt()).length, waiting).toBe(0)
    await after.close()
  })

  const spawnListener = (project: string, queue: string) => {
    const node: ChildProcess = spawn(process.execPath, [program, url, project, queue])
    let text = ""
    node.stdout!.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    return { node, lines: () => text.split("\n").filter((line) => line !== "") }
  }
})

describe("listeners with a queue, in memory", () => {
  const make = instances()

  it("receive failed events again, and the group's later events after them", async () => {
    let now = Date.now()
    const errata = await make({ storage: memory(), now: () => now })
    const heard: Array<string> = []
    let fails = true
    for (const event of ["group.created", "group.resolved"] as const) {
      errata.on(
        event,
        async ({ event, group }) => {
          heard.push(`${event} ${group.error_message}`)
          if (fails && group.error_message === "a") throw new Error("not now")
        },
        { queue: "mail" },
      )
    }
    for (const name of ["a", "b"]) await errata.capture(new Error(name), { fingerprint: [name] })
    await errata.flush()
    const { groups } = await errata.groups.list(errata.project.id)
    for (const { id } of groups) await errata.groups.resolve(errata.project.id, id)
    await errata.flush()
    expect(heard).toEqual(["group.created a", "group.created b", "group.resolved b"])
    fails = false
    now += 61_000
    await errata.flush()
    expect(heard.slice(3)).toEqual(["group.created a", "group.resolved a"])
    for (let i = 0; i < 2; i++) {
      now += 61_000
      await errata.flush()
    }
    expect(heard.length).toBe(5)
  })

  it("receive an event at most ten times", async () => {
    let now = Date.now()
    const lines: Array<string> = []
    const errata = await make({ now: () => now, log: ({ message }) => lines.push(message) })
    let calls = 0
    errata.on("group.created", () => Promise.reject(new Error(`call ${++calls}`)), { queue: "mail" })
    await errata.capture(new Error("a"))
    for (let i = 0; i < 12; i++) {
      await errata.flush()
      now += 61_000
    }
    expect(calls).toBe(10)
    expect(lines.filter((line) => line.includes("is given up"))).toHaveLength(1)
  })

  it("can be slow for many events, and have all attempts for the last one", async () => {
    let now = Date.now()
    const errata = await make({ now: () => now })
    const heard: Array<string> = []
    errata.on(
      "group.created",
      async ({ group }) => {
        now += 21_000
        heard.push(group.error_message)
        if (heard.length === 10) throw new Error("not now")
      },
      { queue: "mail" },
    )
    const names = Array.from({ length: 10 }, (_, i) => `slow ${i}`)
    await Promise.all(names.map((name) => errata.capture(new Error(name), { fingerprint: [name] })))
    await errata.flush()
    expect([...heard].sort()).toEqual(names)
    now += 61_000
    await errata.flush()
    expect(heard.length).toBe(11)
    expect(heard[10]).toBe(heard[9])
  })

  it("require valid queue names", async () => {
    const errata = await make()
    for (const queue of ["", "a b", "a/b", "x".repeat(101)]) {
      expect(() => errata.on("group.created", () => {}, { queue })).toThrow("The name of a queue must be")
    }
  })
})
