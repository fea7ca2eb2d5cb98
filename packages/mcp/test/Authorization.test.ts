/** The official MCP clients, authorized by a user: from the first 401 to the revocation. */
import { ClientDocuments } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { auth } from "@modelcontextprotocol/client"
import { Effect, Layer, Option } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { Browser } from "../../http/test/support/Browser.js"
import { start, type TestInstance } from "../../http/test/support/TestInstance.js"
import { mcp } from "../src/index.js"
import { Application, approve } from "./support/Application.js"
import { asApplication } from "./support/Clients.js"
import { failure } from "./support/Events.js"

const documentAddress = "https://tool.example.com/client.json"

/** Only the document of the application can be fetched. */
const reads: Array<string> = []
const documents = Layer.succeed(
  ClientDocuments,
  Option.some({
    read: (url: string) =>
      Effect.sync(() => {
        reads.push(url)
        return { ...new Application().clientMetadata, client_id: url }
      }),
  }),
)

let errata: TestInstance
let browser: Browser
let url: string
let groupId: number
beforeAll(async () => {
  errata = await start({ mcp }, Layer.merge(MemoryStorage.layer, documents))
  // Users and applications may use another host name than the server.
  url = `http://localhost:${errata.port}`
  const fetchThere: TestInstance["fetch"] = async (path, init) => {
    const answer = await fetch(url + path, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text(), json: null }
  }
  browser = new Browser({ ...errata, url, fetch: fetchThere })
  const link = await errata.api(`/users/${errata.memberId}/sign_in_link`, { method: "POST" })
  await browser.signIn(link.json.sign_in_link)
  groupId = (await errata.report(failure("Seen by an application"))).group_id
})
afterAll(() => errata.stop())

// The clients log a warning for every token that they drop.
beforeEach(() => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
  return () => warned.mockRestore()
})

const post = (path: string, token: string | null, body: string | URLSearchParams) =>
  errata.fetch(path, {
    method: "POST",
    body,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(typeof body === "string" && { "content-type": "application/json" }),
    },
  })

const listTools = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })

describe.each(Object.entries(asApplication))("%s", (_, open) => {
  it("is rejected, requests approval, calls, refreshes its token, and is revoked", async () => {
    const application = new Application()
    const { call, close, connect, finish } = open(url, application)
    await expect(connect()).rejects.toThrow(/unauthorized/i)
    const [asked] = application.asked
    expect(asked!.origin).toBe(url)
    expect(Object.fromEntries(asked!.searchParams)).toMatchObject({
      client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      code_challenge_method: "S256",
      resource: `${url}/mcp`,
      scope: "service.read service.write",
    })
    await finish(await approve(browser, application))
    await connect()
    expect((await call("get_group", { group_id: groupId })).json.group.id).toBe(groupId)
    expect((await call("resolve_group", { group_id: groupId, note: "Fixed" })).json.resolved).toBe(true)

    // An expired token is treated like an unknown one.
    const first = application.kept!
    application.kept = { ...first, access_token: `errata-access_${"a".repeat(43)}` }
    expect((await call("get_group", { group_id: groupId })).isError).toBe(false)
    const second = application.kept!
    expect([second.access_token, second.refresh_token]).not.toEqual([first.access_token, first.refresh_token])
    expect(application.asked).toHaveLength(1)

    const { client_id } = application.information!
    const revoked = await post(
      "/oauth/revoke",
      null,
      new URLSearchParams({ token: second.refresh_token!, client_id }),
    )
    expect(revoked.status).toBe(200)
    await expect(call("get_group", { group_id: groupId })).rejects.toThrow(/unauthorized/i)
    expect(application.asked).toHaveLength(2)
    for (const { access_token } of [first, second]) {
      expect((await post("/mcp", access_token, listTools)).status).toBe(401)
    }
    await close()
  })

  it("can describe itself in a document instead of registering", async () => {
    const application = new Application(documentAddress)
    const { call, close, connect, finish } = open(url, application)
    await expect(connect()).rejects.toThrow(/unauthorized/i)
    expect(application.asked[0]!.searchParams.get("client_id")).toBe(documentAddress)
    await finish(await approve(browser, application))
    await connect()
    expect((await call("get_group", { group_id: groupId })).isError).toBe(false)
    await close()
  })
})

describe("A client's document", () => {
  it("is fetched for a signed-in person only", async () => {
    reads.length = 0
    const path = `/oauth/authorize?${new URLSearchParams({
      client_id: documentAddress,
      redirect_uri: String(new Application().redirectUrl),
    })}`
    for (const method of ["GET", "POST"]) {
      const answer = await fetch(url + path, { method, redirect: "manual" })
      expect([method, answer.status, answer.headers.get("location")]).toEqual([
        method,
        303,
        `../sign_in?next=${encodeURIComponent(path)}`,
      ])
    }
    expect(reads).toEqual([])
    await browser.visit(path)
    expect(reads).toEqual([documentAddress])
  })
})

// The earlier client cannot request a scope from a later challenge. This is why the first challenge names both.
const canAskForMore = Object.entries(asApplication).filter(([name]) => name !== "sdk 1.x")

describe.each(canAskForMore)("%s", (_, open) => {
  it("requests a further scope when it needs one", async () => {
    const application = new Application()
    const { call, close, connect, finish } = open(url, application)
    await auth(application, { serverUrl: `${url}/mcp`, scope: "service.read" })
    await finish(await approve(browser, application))
    expect(application.kept).toMatchObject({ scope: "service.read" })
    await connect()
    expect((await call("get_group", { group_id: groupId })).isError).toBe(false)

    await expect(call("mute_group", { group_id: groupId })).rejects.toThrow(/unauthorized/i)
    expect(application.asked.map(({ searchParams }) => searchParams.get("scope"))).toEqual([
      "service.read",
      "service.read service.write",
    ])
    await finish(await approve(browser, application))
    expect(application.kept).toMatchObject({ scope: "service.read service.write" })
    expect((await call("mute_group", { group_id: groupId })).json.muted).toBe(true)
    await close()
  })
})

describe("An access token", () => {
  it("is valid only for the server URL that was approved", async () => {
    const application = new Application()
    await auth(application, { serverUrl: `${url}/mcp` })
    const code = await approve(browser, application)
    await auth(application, {
      serverUrl: `${url}/mcp`,
      authorizationCode: code.get("code")!,
      iss: code.get("iss")!,
    })
    const { access_token } = application.kept!
    const call = async (address: string) => {
      const answer = await fetch(`${address}/mcp`, {
        method: "POST",
        body: listTools,
        headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
      })
      await answer.text()
      return [answer.status, answer.headers.get("www-authenticate")]
    }
    expect(await call(url)).toEqual([200, null])
    expect(await call(errata.url)).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${errata.url}/.well-known/oauth-protected-resource/mcp", ` +
        'scope="service.read service.write"',
    ])
  })
})
