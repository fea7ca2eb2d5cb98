import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { CaptureEvent, Scope } from "../src/index.js"
import { collecting, messageOf } from "./support/Events.js"
import { failureOf, instances } from "./support/Instances.js"

describe("the scope of an instance", () => {
  const make = instances()
  const collect = async () => {
    const { events, options } = collecting()
    return { events, errata: await make(options) }
  }
  const messagesOf = ({ breadcrumbs }: CaptureEvent) => breadcrumbs?.values.map(({ message }) => message)

  it("adds its data to reports, and prefers the context's data", async () => {
    const errata = await make({ now: () => Date.parse("2026-01-01T00:00:00Z") })
    errata.setUser({ id: 1 })
    errata.setTag("kettle", "blue")
    errata.setTags({ cups: 2, lid: true })
    errata.setContext("order", { id: 7 })
    errata.setExtra("note", "hot")
    errata.addBreadcrumb({ message: "kettle on" })
    const eventId = await errata.withScope((scope) => {
      scope.setTransactionName("brew").setRequest({ url: "/tea" }).setFingerprint(["a"]).setLevel("warning")
      return errata.capture(new Error("cold"), {
        user: { id: 2 },
        tags: { cups: 3 },
        contexts: { pot: { size: 1 } },
        extra: { spoon: 1 },
        breadcrumbs: [{ message: "poured" }],
      })
    })
    await errata.flush()
    const report = await errata.reports.findByEventId(errata.project.id, eventId)
    expect(report).toMatchObject({
      user: { user_id: "2" },
      severity: "warning",
      transaction: "brew",
      request: { url: "/tea" },
      extras: [
        { key: "note", value: "hot" },
        { key: "spoon", value: 1 },
      ],
      breadcrumbs: [{ message: "kettle on", timestamp: "2026-01-01T00:00:00.000Z" }, { message: "poured" }],
    })
    expect(Object.fromEntries(report.tags.map(({ key, value }) => [key, value]))).toMatchObject({
      kettle: "blue",
      cups: "3",
      lid: "true",
    })
    expect(report.contexts.map(({ name }) => name)).toEqual(expect.arrayContaining(["order", "pot"]))
  })

  it("does not mix concurrent requests", async () => {
    const { errata, events } = await collect()
    const serve = (id: number) =>
      errata.withScope(async () => {
        errata.setUser({ id })
        for (let step = 0; step < 5; step++) {
          await turn()
          errata.addBreadcrumb({ message: `${id}.${step}` })
          errata.setTag(`step${step}`, id)
        }
        await errata.capture(new Error(`request ${id}`))
      })
    await Promise.all(Array.from({ length: 200 }, (_, id) => serve(id)))
    errata.addBreadcrumb({ message: "outside" })
    await errata.capture(new Error("outside"))

    expect(events).toHaveLength(201)
    for (const event of events.slice(0, -1)) {
      const id = event.user?.["id"]
      expect(messageOf(event)).toBe(`request ${id}`)
      expect(messagesOf(event)).toEqual([0, 1, 2, 3, 4].map((step) => `${id}.${step}`))
      expect(new Set(Object.values(event.tags ?? {}))).toEqual(new Set([String(id)]))
    }
    expect(events.at(-1)).toMatchObject({ user: undefined, tags: {} })
    expect(messagesOf(events.at(-1)!)).toEqual(["outside"])
  })

  it("is inherited by inner scopes, which do not change it", async () => {
    const { errata, events } = await collect()
    const { addBreadcrumb, capture, setTag, withScope } = errata
    setTag("a", "process")
    await withScope(async (outer) => {
      setTag("b", "outer")
      addBreadcrumb({ message: "outer" })
      await withScope(async (inner) => {
        inner.setTag("b", "inner").setTag("a", null).setUser({ id: 1 })
        addBreadcrumb({ message: "inner" })
        await capture(new Error("inner"))
      })
      await capture(new Error("outer"))
      outer.setTag("b", undefined)
      await capture(new Error("without"))
    })
    await capture(new Error("process"))
    expect(events.map((event) => [event.tags, messagesOf(event), event.user])).toEqual([
      [{ b: "inner" }, ["outer", "inner"], { id: 1 }],
      [{ a: "process", b: "outer" }, ["outer"], undefined],
      [{ a: "process" }, ["outer"], undefined],
      [{ a: "process" }, undefined, undefined],
    ])
  })

  it("returns the result of its function, and ends if it throws", async () => {
    const { errata, events } = await collect()
    expect(errata.withScope(() => 7)).toBe(7)
    expect(
      await failureOf(
        errata.withScope(async (scope) => {
          scope.setTag("a", 1)
          throw new Error("thrown")
        }),
      ),
    ).toMatchObject({ message: "thrown" })
    await errata.capture(new Error("after"))
    expect(events[0]!.tags).toEqual({})
  })

  it("can be reused", async () => {
    const { errata, events } = await collect()
    const scope = errata.withScope((made) => made.setTag("a", 1))
    await errata.withScope(scope, () => errata.capture(new Error("inside")))
    await errata.capture(new Error("outside"))
    expect(events.map(({ tags }) => tags)).toEqual([{ a: "1" }, {}])
    expect(() => errata.withScope({} as Scope, () => 1)).toThrow(TypeError)
  })

  it("belongs to one instance", async () => {
    const [one, two] = [await collect(), await collect()]
    one.errata.setTag("whose", "one")
    await one.errata.withScope(async () => {
      one.errata.setUser({ id: 1 })
      await two.errata.capture(new Error("a"))
      await one.errata.capture(new Error("b"))
    })
    expect(two.events[0]).toMatchObject({ tags: {}, user: undefined })
    expect(one.events[0]).toMatchObject({ tags: { whose: "one" }, user: { id: 1 } })
  })

  it("keeps the latest 100 breadcrumbs and names", async () => {
    const { errata, events } = await collect()
    for (let i = 0; i < 250; i++) {
      errata.addBreadcrumb({ message: `${i}` })
      errata.setTag(`tag${i}`, i)
      errata.setExtra(`extra${i}`, i)
      errata.setContext(`context${i}`, { i })
    }
    await errata.capture(new Error("a"), { breadcrumbs: [{ message: "own" }] })
    const [event] = events
    const messages = messagesOf(event!)!
    expect([messages.length, messages[0], messages.at(-1)]).toEqual([100, "151", "own"])
    expect(Object.keys(event!.tags!)).toEqual(Array.from({ length: 100 }, (_, i) => `tag${150 + i}`))
    expect(Object.keys(event!.extra!)).toHaveLength(100)
    expect(Object.keys(event!.contexts!)).toHaveLength(100)
  })

  it("calls functions when an error is captured, and ignores those that throw", async () => {
    const { errata, events } = await collect()
    let route: string | undefined
    await errata.withScope(async (scope) => {
      scope.setTransactionName(() => route).setRequest(() => ({ url: `/${route}` }))
      route = "orders"
      await errata.capture(new Error("a"))
      scope.setRequest(() => {
        throw new Error("not yours")
      })
      await errata.capture(new Error("b"))
    })
    expect(events).toMatchObject([
      { transaction: "orders", request: { url: "/orders" } },
      { transaction: "orders", request: undefined },
    ])
  })

  it("keeps the scope if a context cannot be read", async () => {
    const { errata, events } = await collect()
    errata.setTag("a", 1)
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap")
        },
        ownKeys: () => {
          throw new Error("trap")
        },
      },
    )
    await errata.capture(new Error("kept"), hostile)
    await errata.capture(new Error("kept"), null as never)
    expect(events.map((event) => [messageOf(event), event.tags])).toEqual([
      ["kept", { a: "1" }],
      ["kept", { a: "1" }],
    ])
  })
})

describe("captureMessage", () => {
  const make = instances()

  it("reports a text with a severity or a context", async () => {
    const errata = await make()
    const ids = [
      await errata.captureMessage("The tea is ready"),
      await errata.captureMessage("The tea is cold", "warning"),
      await errata.captureMessage("The tea is gone", { severity: "error", tags: { kettle: "blue" } }),
    ]
    await errata.flush()
    const reports = await Promise.all(ids.map((id) => errata.reports.findByEventId(errata.project.id, id)))
    expect(reports.map(({ error_message, severity }) => [error_message, severity])).toEqual([
      ["The tea is ready", "info"],
      ["The tea is cold", "warning"],
      ["The tea is gone", "error"],
    ])
    expect(reports[2]!.tags).toContainEqual({ key: "kettle", value: "blue" })
  })
})

describe("an error object that is captured again", () => {
  const make = instances()

  it("is reported once within a request, and again in another one", async () => {
    const { events, options } = collecting()
    const errata = await make(options)
    const error = new Error("shared")
    const twice = () =>
      errata.withScope(async () => {
        const first = await errata.capture(error)
        const second = await errata.withScope(() => errata.capture(error, { handled: false }))
        expect(second).toBe(first)
        await errata.capture(new Error("another"))
      })
    await twice()
    await twice()
    expect(events.map(messageOf)).toEqual(["shared", "another", "shared", "another"])
    await errata.withScope(async () => {
      await errata.capture(error)
      await errata.capture(error, { project: errata.project.id })
      await errata.capture(error, { severity: "fatal" })
    })
    expect(events).toHaveLength(7)
  })

  it("is reported each time outside of requests", async () => {
    const { events, options } = collecting()
    const errata = await make(options)
    const error = new Error("shared")
    for (let i = 0; i < 3; i++) await errata.capture(error)
    for (let i = 0; i < 3; i++) await errata.withScope(() => errata.capture("a text"))
    expect(events).toHaveLength(6)
  })
})
