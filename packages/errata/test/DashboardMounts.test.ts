/** The dashboard under every kind of mount: the pages that a browser is redirected to, including sign-in. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import type { Errata, ErrataOptions } from "../src/index.js"
import { instances } from "./support/Instances.js"

const dashboard: NonNullable<ErrataOptions["dashboard"]> = {
  assets: new Map([
    ["app-1.js", { type: "text/javascript", body: Buffer.from("export {}"), br: null, gz: null }],
  ]),
  shell: (depth) => `<html data-root="${"../".repeat(depth) || "./"}">`,
}

interface Mounting {
  readonly prefix: string
  /** True with a base URL. */
  readonly isKnown: boolean
  readonly handle: (
    errata: Errata,
    request: IncomingMessage,
    response: ServerResponse,
    prefix: string,
  ) => void
}

const stripped = (url: string, prefix: string): string => url.slice(prefix.length).replace(/^(?!\/)/, "/")

const asProxy: Mounting["handle"] = (errata, request, response, prefix) => {
  request.url = stripped(request.url ?? "", prefix)
  errata.nodeHandler(request, response)
}

/** Like Express and Connect. */
const asRouter: Mounting["handle"] = (errata, request, response, prefix) => {
  Object.assign(request, { originalUrl: request.url })
  asProxy(errata, request, response, prefix)
}

const asItCame: Mounting["handle"] = (errata, request, response) => errata.nodeHandler(request, response)

const asFetch =
  (isStripped: boolean): Mounting["handle"] =>
  async (errata, incoming, response, prefix) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const url = isStripped ? stripped(incoming.url ?? "", prefix) : incoming.url
    const answer = await errata.fetch(
      new Request(`http://${incoming.headers.host}${url}`, {
        method: incoming.method ?? "GET",
        headers: incoming.headers as Record<string, string>,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    )
    const cookies = answer.headers.getSetCookie()
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      ...(cookies.length === 0 ? {} : { "set-cookie": cookies }),
    })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

const mountings: Readonly<Record<string, Mounting>> = {
  "at the root": { prefix: "", isKnown: false, handle: asItCame },
  "at the root, with a base URL": { prefix: "", isKnown: true, handle: asItCame },
  "in a router like Express's, without a setting": { prefix: "/errors", isKnown: false, handle: asRouter },
  "in nested routers, without a setting": { prefix: "/a/b/errata", isKnown: false, handle: asRouter },
  "in a router, with a base URL": { prefix: "/errors", isKnown: true, handle: asRouter },
  "behind a proxy that strips the prefix, without a setting": {
    prefix: "/a/b/errata",
    isKnown: false,
    handle: asProxy,
  },
  "behind a proxy that strips the prefix, with a base URL": {
    prefix: "/errors",
    isKnown: true,
    handle: asProxy,
  },
  "behind a proxy that keeps the prefix": { prefix: "/errors", isKnown: true, handle: asItCame },
  "in the fetch style, with the prefix": { prefix: "/errors", isKnown: true, handle: asFetch(false) },
  "in the fetch style, without the prefix": { prefix: "/errors", isKnown: false, handle: asFetch(true) },
}

/** Follows redirects and links as a browser does. */
class Visitor {
  private readonly cookies = new Map<string, string>()

  constructor(private readonly origin: string) {}

  async visit(url: string, init: RequestInit = {}) {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { accept: "text/html", origin: this.origin, cookie, ...init.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const [, path = ""] = /; Path=([^;]*)/.exec(line) ?? []
      expect(new URL(url).pathname.startsWith(path)).toBe(true)
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const location = answer.headers.get("location")
    return {
      status: answer.status,
      text: await answer.text(),
      to: location === null ? null : new URL(location, url).href,
    }
  }
}

describe("the dashboard", () => {
  const make = instances()
  const ends: Array<() => void> = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  const serve = async ({ handle, isKnown, prefix }: Mounting) => {
    const server = createServer((request, response) => {
      if ((request.url ?? "").startsWith(prefix)) handle(errata, request, response, prefix)
      else response.writeHead(404).end("the application's own")
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    ends.push(() => void server.close().closeAllConnections())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const base = origin + prefix
    const errata: Errata = await make({ dashboard, ...(isKnown ? { baseUrl: base } : {}) })
    const { id } = await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "admin" })
    const link = await errata.users.createSignInLink(id)
    const token = /token=(\S+)/.exec(link.sign_in_link)![1]!
    expect(link.sign_in_link).toBe(`${isKnown ? base : ""}/sign_in/link?token=${token}`)
    return { base, origin, token, errata }
  }

  it.each(Object.entries(mountings))(
    "%s signs in, shows its pages and calls the API",
    async (_, mounting) => {
      const { base, errata, origin, token } = await serve(mounting)
      const ann = new Visitor(origin)
      const first = await ann.visit(`${base}/`)
      expect([first.status, first.to]).toEqual([303, `${base}/sign_in?next=%2Fprojects`])
      const signIn = await ann.visit(first.to!)
      expect(signIn.status).toBe(200)
      const [, style = ""] = /rel="stylesheet" href="([^"]+)"/.exec(signIn.text) ?? []
      expect((await ann.visit(new URL(style, first.to!).href)).status).toBe(200)

      const page = `${base}/sign_in/link?token=${token}`
      const { text } = await ann.visit(page)
      const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? []
      const fields = Array.from(text.matchAll(/name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [
        name!,
        value!,
      ])
      const entered = await ann.visit(new URL(action, page).href, {
        method: "POST",
        body: new URLSearchParams(fields),
      })
      expect([entered.status, entered.to]).toEqual([303, `${base}/projects/${errata.project.id}/groups`])
      expect((await ann.visit(`${base}/`)).to).toBe(`${base}/projects`)

      for (const path of ["/projects", "/projects/1/groups/42/reports/7"]) {
        const shell = await ann.visit(base + path)
        const [, root = ""] = /data-root="([^"]+)"/.exec(shell.text) ?? []
        expect([path, shell.status, new URL(root, base + path).href]).toEqual([path, 200, `${base}/`])
      }
      expect((await ann.visit(`${base}/assets/app-1.js`)).status).toBe(200)
      const nowhere = await ann.visit(`${base}/no/where`)
      const [, start = ""] = /<li><a href="([^"]+)"/.exec(nowhere.text) ?? []
      expect([nowhere.status, new URL(start, `${base}/no/where`).href]).toEqual([404, `${base}/`])

      const exchanged = await ann.visit(`${base}/session/token`, { method: "POST" })
      const { access_token } = JSON.parse(exchanged.text)
      const listed = await fetch(`${base}/api/service/v1/projects`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect(await listed.json()).toMatchObject({ projects: [{ id: errata.project.id }] })
      expect((await ann.visit(`${base}/session`, { method: "DELETE" })).status).toBe(204)
      expect((await ann.visit(`${base}/session/token`, { method: "POST" })).status).toBe(401)
    },
  )

  it("redirects below a mount without a slash if the router or base URL has the prefix", async () => {
    for (const name of ["in a router like Express's, without a setting", "in a router, with a base URL"]) {
      const { base, origin } = await serve(mountings[name]!)
      expect((await new Visitor(origin).visit(base)).to).toBe(`${base}/sign_in?next=%2Fprojects`)
    }
  })

  it("never redirects to another host, whatever prefix a router reports", async () => {
    const errata = await make({ dashboard })
    for (const originalUrl of ["//evil.example/", "/\\evil.example/", "http://evil.example/", "/a;b/"]) {
      const server = createServer((request, response) => {
        Object.assign(request, { originalUrl, url: "/" })
        errata.nodeHandler(request, response)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      ends.push(() => void server.close().closeAllConnections())
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
        redirect: "manual",
      })
      expect([originalUrl, answer.headers.get("location")]).toEqual([
        originalUrl,
        "./sign_in?next=%2Fprojects",
      ])
    }
  })
})

describe("the dashboard of an application's own people", () => {
  const make = instances()

  it("redirects to the application's sign-in, and ends its tokens on signing out", async () => {
    const base = "https://app.example/errors"
    const errata = await make({
      dashboard,
      baseUrl: base,
      people: {
        identify: ({ header }) => header("x-user") ?? null,
        signInUrl: (returnTo) => `https://app.example/login?to=${encodeURIComponent(returnTo)}`,
      },
    })
    await errata.users.create({ name: "Ann", email_address: "ann@example.com", role: "member" })
    const ask = (path: string, method = "GET", headers: Record<string, string> = {}) =>
      errata.fetch(
        new Request(base + path, { method, headers: { origin: "https://app.example", ...headers } }),
      )
    const ann = { "x-user": "ann@example.com" }
    const login = (path: string) => `https://app.example/login?to=${encodeURIComponent(base + path)}`
    expect((await ask("/")).headers.get("location")).toBe(login("/projects"))
    expect((await ask("/sign_in?next=/projects/1/groups")).headers.get("location")).toBe(
      login("/projects/1/groups"),
    )
    expect((await ask("/", "GET", ann)).headers.get("location")).toBe("/errors/projects")
    const tokenOf = async () =>
      ((await (await ask("/session/token", "POST", ann)).json()) as { access_token: string }).access_token
    const statusOf = async (token: string) =>
      (await ask("/api/service/v1/projects", "GET", { authorization: `Bearer ${token}` })).status
    const [one, two] = [await tokenOf(), await tokenOf()]
    expect([await statusOf(one), await statusOf(two)]).toEqual([200, 200])
    expect((await ask("/session", "DELETE", ann)).status).toBe(204)
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 401])
    // The oldest of more than fifty tokens expires.
    const first = await tokenOf()
    for (let tab = 0; tab < 50; tab++) await tokenOf()
    expect([await statusOf(first), await statusOf(await tokenOf())]).toEqual([401, 200])
    const stranger = await ask("/session/token", "POST", { "x-user": "eve@example.com" })
    expect([stranger.status, stranger.headers.get("content-type")]).toEqual([403, "application/problem+json"])
  })
})
