/** Rules for every framework: scopes do not mix, and unhandled errors are reported once and passed on. */
import { once } from "node:events"
import { type IncomingMessage, request as send } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type CaptureEvent, createErrata, type Errata, memory } from "../../src/index.js"
import { collecting, messageOf } from "./Events.js"

export interface Served {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Yields to other requests, then throws the error of a route. */
export const work = async (errata: Errata, id: string): Promise<never> => {
  errata.setUser({ id })
  for (let step = 0; step < 3; step++) {
    await new Promise((resolve) => setImmediate(resolve))
    errata.addBreadcrumb({ message: `${id}.${step}` })
  }
  throw new Error(`Order ${id} could not be read`)
}

/** The status of an error, as the frameworks' own helpers set it. */
export const withStatus = (status: number, message: string): Error =>
  Object.assign(new Error(message), { status, statusCode: status })

/**
 * The application answers errors with `{ "message": ... }`. Its routes `GET /orders/:id` and `POST /orders/:id` do `work`; the
 * second one parses JSON before. `GET /refused` has status 403, and `GET /unavailable` status 503. `GET /twice` captures the
 * error that it throws. `GET /text` throws the text "out of tea". `GET /stream` sends "first", and captures the error that
 * breaks its stream.
 */
export const describeFramework = (name: string, serve: (errata: Errata) => Promise<Served>): void => {
  describe(name, () => {
    const { events, options } = collecting()
    let errata: Errata
    let app: Served
    beforeAll(async () => {
      errata = await createErrata({
        storage: memory(),
        log: "silent",
        maxRepeatsPerSecond: 1_000,
        ...options,
      })
      app = await serve(errata)
    })
    beforeEach(() => {
      events.length = 0
    })
    afterAll(async () => {
      await app.close()
      await errata.close()
    })

    const post = (id: string) =>
      fetch(`${app.url}/orders/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ cups: 2, card: "4111" }),
      })
    const breadcrumbsOf = ({ breadcrumbs }: CaptureEvent) => breadcrumbs?.values.map(({ message }) => message)

    it("reports an error with its request, its route and its scope, and passes it on", async () => {
      const answer = await fetch(`${app.url}/orders/17?cups=2&lid=1`, {
        headers: { authorization: "Bearer secret", "x-shop": "tea" },
      })
      expect([answer.status, await answer.json()]).toEqual([500, { message: "Order 17 could not be read" }])
      expect(events).toHaveLength(1)
      const [event] = events
      expect(event).toMatchObject({
        transaction: "GET /orders/:id",
        user: { id: "17" },
        request: {
          url: `${app.url}/orders/17`,
          query_string: "cups=2&lid=1",
          method: "GET",
          headers: { authorization: "[omitted]", "x-shop": "tea" },
        },
      })
      expect(event!.exception!.values.at(-1)!.mechanism).toMatchObject({ handled: false })
      expect(breadcrumbsOf(event!)).toEqual(["17.0", "17.1", "17.2"])
    })

    it("keeps the scope after a body was parsed, and does not report the body", async () => {
      expect((await post("5")).status).toBe(500)
      expect(events).toMatchObject([{ transaction: "POST /orders/:id", user: { id: "5" } }])
      expect(events[0]!.request!.data).toBeUndefined()
      expect(breadcrumbsOf(events[0]!)).toEqual(["5.0", "5.1", "5.2"])
    })

    it("keeps the scope if the body arrives after the headers", async () => {
      const request = send(`${app.url}/orders/8`, {
        method: "POST",
        headers: { "content-type": "application/json", expect: "100-continue" },
      })
      request.flushHeaders()
      // The application has received the request.
      await once(request, "continue")
      request.end('{"cups":2}')
      const [answer] = (await once(request, "response")) as [IncomingMessage]
      answer.resume()
      expect(answer.statusCode).toBe(500)
      expect(events).toMatchObject([{ transaction: "POST /orders/:id", user: { id: "8" } }])
      expect(breadcrumbsOf(events[0]!)).toEqual(["8.0", "8.1", "8.2"])
    })

    it("does not mix concurrent requests", async () => {
      const ids = Array.from({ length: 60 }, (_, id) => String(id))
      await Promise.all(ids.map((id) => (Number(id) % 2 ? post(id) : fetch(`${app.url}/orders/${id}`))))
      expect(events).toHaveLength(ids.length)
      for (const event of events) {
        const id = String(event.user?.["id"])
        expect(messageOf(event)).toBe(`Order ${id} could not be read`)
        expect(event.request!.url).toBe(`${app.url}/orders/${id}`)
        expect(breadcrumbsOf(event)).toEqual([`${id}.0`, `${id}.1`, `${id}.2`])
      }
      expect(new Set(events.map((event) => event.user?.["id"])).size).toBe(ids.length)
    })

    it("reports errors of status 500 and higher only", async () => {
      expect((await fetch(`${app.url}/refused`)).status).toBe(403)
      expect((await fetch(`${app.url}/nowhere`)).status).toBe(404)
      expect(events).toEqual([])
      expect((await fetch(`${app.url}/unavailable`)).status).toBe(503)
      expect(events.map(messageOf)).toEqual(["unavailable"])
    })

    it("reports an error once that the route has captured", async () => {
      expect((await fetch(`${app.url}/twice`)).status).toBe(500)
      expect(events.map(messageOf)).toEqual(["twice"])
    })

    it("reports thrown values that are not errors", async () => {
      expect((await fetch(`${app.url}/text`)).status).toBe(500)
      expect(events.map(messageOf)).toEqual(["out of tea"])
      expect(events[0]!.transaction).toBe("GET /text")
    })

    it("reports an error after the headers were sent", async () => {
      const body = await fetch(`${app.url}/stream`)
        .then((answer) => answer.text())
        .catch(String)
      // Some servers cut the connection, others end the body.
      expect(["first", "TypeError: terminated"]).toContain(body)
      await expect.poll(() => events.map(messageOf), { timeout: 30_000 }).toEqual(["stream broke"])
      expect(events[0]).toMatchObject({ transaction: "GET /stream", tags: { streamed: "yes" } })
    })

    it("continues after a client has disconnected", async () => {
      const request = send(`${app.url}/orders/9`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": "1000" },
      })
      request.on("error", () => {})
      request.write('{"cups":')
      await once(request, "socket")
      await new Promise((resolve) => request.write(" ", resolve))
      request.destroy()
      expect((await post("6")).status).toBe(500)
      expect(events.map(messageOf)).toEqual(["Order 6 could not be read"])
    })
  })
}
