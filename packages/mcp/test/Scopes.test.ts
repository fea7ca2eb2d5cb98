/** Credentials with limited grants, and malformed calls. */
import { Actor, type Grant, StorageError, Users } from "@errata/core"
import { Effect, Redacted, References, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Failing, layer } from "../../http/test/support/BrokenStores.js"
import { memberKey, start, type TestInstance } from "../../http/test/support/TestInstance.js"
import { toFailure } from "../src/Failure.js"
import { type Handler, mcp } from "../src/index.js"
import { tools } from "../src/Tools.js"
import { failure } from "./support/Events.js"

let errata: TestInstance
let handler: Handler
beforeAll(async () => {
  errata = await start()
  const scope = await errata.run(Scope.make())
  handler = await errata.run(Scope.provide(mcp, scope))
})
afterAll(() => errata.stop())

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** Calls a tool in either era, as the member with these grants. */
const call = async (grants: ReadonlyArray<Grant>, name: string, args: object, era: "old" | "new") => {
  const user = await errata.run(
    Effect.flatMap(Users, (users) => users.authenticate(Redacted.make(memberKey))),
  )
  const params = { name, arguments: args, ...(era === "new" && { _meta: envelope }) }
  const headers = {
    "content-type": "application/json",
    ...(era === "new" && {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    }),
  }
  const response = await handler({
    request: new Request("https://errata.example.com/mcp", { method: "POST", headers }),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    actor: Actor.Person({ user, grants }),
    resourceMetadataUrl: "https://errata.example.com/.well-known/oauth-protected-resource/mcp",
    webAddress: "https://errata.example.com",
  })
  return {
    status: response.status,
    challenge: response.headers.get("www-authenticate"),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
    json: (await response.json().catch(() => null)) as any,
  }
}

describe.each(["old", "new"] as const)("In the %s era", (era) => {
  it("a token to read gets a challenge with both scopes only from tools that change data", async () => {
    for (const { name, scope } of tools) {
      const { challenge, status } = await call(["read"], name, {}, era)
      if (scope === "read") expect([name, status, challenge]).toEqual([name, 200, null])
      else {
        expect([name, status]).toEqual([name, 403])
        expect(challenge).toMatch(/^Bearer error="insufficient_scope"/)
        expect(challenge).toContain('scope="service.read service.write"')
        expect(challenge).toContain(
          'resource_metadata="https://errata.example.com/.well-known/oauth-protected-resource/mcp"',
        )
      }
    }
  })

  it("a token to write can read too", async () => {
    const { group_id } = await errata.report(failure(`Written in the ${era} era`))
    const read = await call(["write"], "get_group", { group_id }, era)
    expect(read.json.result.structuredContent.group.id).toBe(group_id)
    const muted = await call(["write"], "mute_group", { group_id }, era)
    expect(muted.json.result.structuredContent.muted).toBe(true)
  })
})

describe("A tool that fails", () => {
  it("because the storage is unavailable says so", async () => {
    const messageOf = (reason: StorageError["reason"]) =>
      new StorageError({ operation: "secret operation", reason, cause: new Error("secret cause") }).pipe(
        toFailure({}),
        Effect.flip,
        Effect.map(({ message }) => message),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.runPromise,
      )
    expect(await messageOf("unavailable")).toBe("The storage is unavailable. Try again later.")
    expect(await messageOf("conflict")).toBe("The call conflicted with other changes. Try again.")
    await expect(messageOf("rejected")).rejects.toThrow()
  })

  it("to read a resource because the storage is unavailable does not report a missing resource", async () => {
    const failing: Failing = { mode: "work" }
    const broken = await start({ mcp }, layer(failing))
    const read = async (uri: string) => {
      const answer = await broken.fetch("/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${memberKey}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } }),
      })
      return [answer.json.error.code, answer.json.error.message]
    }
    for (const id of ["999", "1e3", "0x1", "-1", "x"]) {
      const uri = `errata://groups/${id}`
      expect(await read(uri)).toEqual([-32602, `Resource not found: ${uri}`])
    }
    failing.mode = "unavailable"
    expect(await read("errata://groups/999")).toEqual([
      -32603,
      "The storage is unavailable. Try again later.",
    ])
    failing.mode = "work"
    await broken.stop()
  })

  it("unexpectedly returns only a correlation id; the log has the cause", async () => {
    const failing: Failing = { mode: "work" }
    const broken = await start({ mcp }, layer(failing))
    const listProjects = async () => {
      const params = { name: "list_projects", arguments: {} }
      const answer = await broken.fetch("/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${memberKey}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      })
      expect([answer.status, answer.json.result.isError]).toEqual([200, true])
      return answer.json.result.content[0].text as string
    }
    failing.mode = "throw"
    const text = await listProjects()
    const id =
      /^The call failed unexpectedly. The server log has the cause under correlation id (.{36})\.$/.exec(
        text,
      )?.[1]
    expect(broken.logs.filter((line) => line.includes("secret defect") && line.includes(id!))).toHaveLength(1)
    failing.mode = "work"
    await broken.stop()
  })
})
