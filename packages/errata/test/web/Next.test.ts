/** The functions for Next.js, called as Next.js calls them. `npm run check:pack` builds an application with them. */
import { describe, expect, it } from "vitest"
import { captureRequestError, routeHandler } from "../../src/next.js"
import { collecting, messageOf } from "../support/Events.js"
import { failureOf, instances } from "../support/Instances.js"

describe("Next.js", () => {
  const make = instances()
  const collect = async () => {
    const { events, options } = collecting()
    return { events, errata: await make(options) }
  }
  const request = { path: "/cart/7?step=2", method: "GET", headers: { cookie: "sid=1", "x-shop": "tea" } }
  const route = { routePath: "/cart/[id]", routerKind: "App Router", routeType: "render" }

  it("reports an error with its request and its route", async () => {
    const { errata, events } = await collect()
    await captureRequestError(errata, new Error("gone"), request, route)
    expect(events).toMatchObject([
      {
        transaction: "GET /cart/[id]",
        request: {
          url: "/cart/7",
          query_string: "step=2",
          headers: { cookie: "[omitted]", "x-shop": "tea" },
        },
        contexts: { nextjs: { router_kind: "App Router", route_type: "render" } },
      },
    ])
    expect(events[0]!.exception!.values.at(-1)!.mechanism).toMatchObject({ handled: false })
  })

  it.each(["NEXT_REDIRECT;replace;/login;307;", "NEXT_HTTP_ERROR_FALLBACK;404", "DYNAMIC_SERVER_USAGE"])(
    "does not report %s, which Next.js throws for its own control flow",
    async (digest) => {
      const { errata, events } = await collect()
      await captureRequestError(errata, Object.assign(new Error("left"), { digest }), request, route)
      expect(events).toEqual([])
      await captureRequestError(errata, Object.assign(new Error("kept"), { digest: "2338" }), request, route)
      expect(events.map(messageOf)).toEqual(["kept"])
    },
  )

  it("reports an error of a route handler with the scope of its request", async () => {
    const { errata, events } = await collect()
    const GET = routeHandler(
      async () => errata,
      async (request, { params }: { readonly params: Promise<{ readonly id: string }> }) => {
        const { id } = await params
        errata.setUser({ id })
        await new Promise((resolve) => setImmediate(resolve))
        if (request.url.endsWith("fine")) return Response.json({ id })
        throw new Error(`Cart ${id} is gone`)
      },
    )
    const call = (id: string, ending: string) =>
      GET(new Request(`https://shop.example/cart/${id}?${ending}`), { params: Promise.resolve({ id }) })
    expect(await (await call("1", "fine")).json()).toEqual({ id: "1" })

    const ids = Array.from({ length: 30 }, (_, id) => String(id))
    await Promise.all(
      ids.map(async (id) => {
        const error = await failureOf(call(id, "fail"))
        await captureRequestError(errata, error, { path: `/cart/${id}`, method: "GET" }, route)
      }),
    )
    expect(events).toHaveLength(30)
    for (const event of events) {
      expect(messageOf(event)).toBe(`Cart ${event.user?.["id"]} is gone`)
      expect(event).toMatchObject({
        transaction: "GET /cart/[id]",
        request: { url: `https://shop.example/cart/${event.user?.["id"]}`, query_string: "fail" },
      })
    }
  })

  it("does not reject if the error cannot be stored", async () => {
    const errata = await make()
    await errata.close()
    await captureRequestError(errata, new Error("late"), request, route)
  })
})
