/** The address by which an instance without a base URL calls itself as the issuer of tokens. */
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"

let errata: TestInstance
beforeAll(async () => {
  errata = await start()
})
afterAll(() => errata.stop())

/** `fetch` sends no other host than that of the address. */
const send = (server: TestInstance, method: string, path: string, host: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { method, headers: { host } }, (answer) => {
      let text = ""
      answer.on("data", (chunk) => (text += chunk))
      answer.on("end", () => resolve({ status: answer.statusCode!, text }))
    })
    sent.on("error", reject)
    sent.end()
  })

const metadata = "/.well-known/oauth-authorization-server"

const routes = [
  ["GET", metadata],
  ["GET", "/.well-known/oauth-protected-resource"],
  ["GET", "/.well-known/oauth-protected-resource/mcp"],
  ["GET", "/.well-known/mcp.json"],
  ["GET", "/oauth/authorize?client_id=x"],
  ["POST", "/oauth/authorize?client_id=x"],
  ["GET", "/authorize"],
  ["POST", "/oauth/token"],
  ["POST", "/token"],
  ["POST", "/oauth/register"],
  ["POST", "/register"],
] as const

describe("The issuer of tokens", () => {
  it.each(routes)("is never a host that is not configured: %s %s", async (method, path) => {
    for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1:4000"]) {
      const { status, text } = await send(errata, method, path, host)
      expect([host, status]).toEqual([host, 400])
      expect(text).toContain(`The host ${host} is not configured. Set ERRATA_BASE_URL`)
    }
  })

  it.each(["localhost", "errata.localhost:4000", "127.0.0.1:4000", "[::1]:4000"])(
    "can be a loopback host: %s",
    async (host) => {
      const { status, text } = await send(errata, "GET", metadata, host)
      expect([status, JSON.parse(text).issuer]).toEqual([200, `http://${host}`])
    },
  )

  it("is the configured base URL, whatever the host", async () => {
    const configured = await start({ baseUrl: "https://errors.example.com" })
    const { status, text } = await send(configured, "GET", metadata, "evil.example")
    expect([status, JSON.parse(text).issuer]).toEqual([200, "https://errors.example.com"])
    await configured.stop()
  })
})
