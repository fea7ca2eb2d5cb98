/** The dashboard inside applications of Express and Hono, at their root and under a prefix, alone and behind proxies. */
import { once } from "node:events"
import { createServer, request as forward, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import express from "express"
import { Hono } from "hono"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { createErrata, type Errata, memory } from "../../errata/src/index.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import type { Dashboard } from "../src/index.js"
import { Reader } from "./support/Reader.js"

// The built package. Imported dynamically, so that types are checked without a build.
const { dashboard }: { readonly dashboard: Dashboard } = await import(
  new URL("../dist/index.js", import.meta.url).href
)

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const listening = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** A reverse proxy for a port, which may strip a prefix. */
const proxy = (target: () => number, isStripped: boolean, prefix: string): Server =>
  createServer((request, response) => {
    const path = request.url ?? "/"
    const sent = forward(
      {
        port: target(),
        host: "127.0.0.1",
        method: request.method,
        path: isStripped ? path.slice(prefix.length) || "/" : path,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(sent)
  })

/** An application that has Errata at a path, once there is one. */
type Make = (mount: string, errata: () => Errata) => Server

const frameworks: Readonly<Record<string, Make>> = {
  Express: (mount, errata) =>
    createServer(express().use(mount, (request, response) => errata().nodeHandler(request, response))),
  Hono: (mount, errata) => {
    const app = new Hono()
    for (const path of new Set([mount, `${mount}/*`.replace("//", "/")])) {
      app.all(path, ({ req }) => errata().fetch(req.raw))
    }
    return createAdaptorServer({ fetch: app.fetch }) as Server
  },
}

interface Mounting {
  /** The mount path in the application. */
  readonly mount: string
  /** The path before that, as browsers see it. */
  readonly prefix: string
  readonly proxy: "none" | "strips" | "keeps"
}

const mountings: Readonly<Record<string, Mounting>> = {
  "alone, at its root": { mount: "/", prefix: "", proxy: "none" },
  "alone, below /errors": { mount: "/errors", prefix: "", proxy: "none" },
  "behind a proxy that strips the prefix": { mount: "/", prefix: "/tools/errors", proxy: "strips" },
  "behind a proxy that strips a part of it": { mount: "/errors", prefix: "/tools", proxy: "strips" },
  "behind a proxy that keeps the prefix": { mount: "/tools/errors", prefix: "", proxy: "keeps" },
}

describe.each(Object.entries(frameworks))("the dashboard in %s", (name, make) => {
  // Only routers of Node provide the original path.
  const supported = Object.entries(mountings).filter(
    ([, { mount, proxy }]) => name === "Express" || proxy !== "strips" || mount === "/",
  )
  it.each(supported)("%s opens its pages without an error", async (_, how) => {
    let port = 0
    const front = how.proxy === "none" ? null : proxy(() => port, how.proxy === "strips", how.prefix)
    const outer = front === null ? null : await listening(front)
    let errata: Errata | null = null
    port = await listening(make(how.mount, () => errata!))
    const base = `http://127.0.0.1:${outer ?? port}${how.prefix}${how.mount}`.replace(/\/$/, "")
    const own = await createErrata({ storage: memory(), log: "silent", dashboard, baseUrl: base })
    errata = own
    ends.push(() => own.close())
    await own.capture(new Error("The cart is empty"))
    await own.flush()
    const { id } = await own.users.create({ name: "Ann", email_address: "ann@example.com", role: "admin" })
    const link = await own.users.createSignInLink(id)
    await Reader.visit(browser, {}, async (reader) => {
      const { page } = reader
      await reader.signIn(link.sign_in_link)
      // The only project.
      expect(page.url()).toBe(`${base}/projects/${own.project.id}/groups`)
      await page.getByRole("link", { name: /The cart is empty/ }).click()
      await page.waitForURL(/\/groups\/\d+$/)
      await reader.settled()
      // Reloads the page at its own depth.
      await page.reload()
      await reader.settled()
      await page.getByRole("heading", { level: 1, name: "Error" }).waitFor()
      await reader.open(`${base}/`)
      expect(page.url()).toBe(`${base}/projects`)
    })
  })
})
