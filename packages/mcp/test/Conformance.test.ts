/** The official conformance suite: the transport in both protocol eras, the real server, and its authorization. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser } from "../../http/test/support/Browser.js"
import { memberKey, start, type TestInstance } from "../../http/test/support/TestInstance.js"
import { freePort } from "../../storage-postgres/test/support/port.js"
import { type Call, mcp } from "../src/index.js"
import { Caller } from "../src/server/Caller.js"
import * as Transport from "../src/server/Transport.js"
import { approveAt } from "./support/Application.js"
import * as Conformance from "./support/Conformance.js"
import { makeServer } from "./support/Fixture.js"

/** Prints the end of the suite's output if the suite fails. */
const expectPass = ({ code, output }: Conformance.Outcome): void => {
  expect(code, output.slice(-8000)).toBe(0)
}

describe("A server with the tools that the suite expects", () => {
  const scopes = { read: "service.read", write: "service.write" }
  const fixture = Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Transport.make(makeServer, { streams: true })),
      ({ close }) => Effect.promise(close),
    ),
    ({ handle }) =>
      ({ actor, body, request }: Call) =>
        handle(request, body, (asked) => new Caller(actor, scopes, null, null, asked)),
  )

  let errata: TestInstance
  let proxy: Conformance.Proxy
  beforeAll(async () => {
    errata = await start({ mcp: fixture })
    proxy = await Conformance.startProxy(errata.url, memberKey)
  })
  afterAll(async () => {
    await proxy.stop()
    await errata.stop()
  })

  it.each(["2025-11-25", "2026-07-28"])("passes the requirements of revision %s", async (revision) => {
    const requirements = ["--requirements", revision, "--expected-failures", Conformance.expectedFailures]
    expectPass(await Conformance.run(["server", "--url", `${proxy.url}/mcp`, ...requirements]))
  })
})

describe("The server of Errata", () => {
  let errata: TestInstance
  let proxy: Conformance.Proxy
  beforeAll(async () => {
    errata = await start({ mcp })
    proxy = await Conformance.startProxy(errata.url, memberKey)
  })
  afterAll(async () => {
    await proxy.stop()
    await errata.stop()
  })

  // Scenarios without special tools.
  it.each([
    ["2025-11-25", "server-initialize"],
    ["2025-11-25", "ping"],
    ["2025-11-25", "tools-list"],
    ["2025-11-25", "prompts-list"],
    ["2025-11-25", "dns-rebinding-protection"],
    ["2026-07-28", "tools-list"],
    ["2026-07-28", "prompts-list"],
    ["2026-07-28", "caching"],
    ["2026-07-28", "sep-2164-resource-not-found"],
    ["2026-07-28", "input-required-result-unsupported-methods"],
    ["2026-07-28", "http-header-validation"],
    ["2026-07-28", "dns-rebinding-protection"],
  ])("passes %s %s", async (version, scenario) => {
    const args = ["server", "--url", `${proxy.url}/mcp`, "--spec-version", version, "--scenario", scenario]
    expectPass(await Conformance.run(args))
  })
})

describe("The authorization of Errata", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ mcp })
  })
  afterAll(() => errata.stop())

  it("passes the suite's scenarios, with a person who approves", async () => {
    const browser = new Browser(errata)
    const link = await errata.api(`/users/${errata.memberId}/sign_in_link`, { method: "POST" })
    await browser.signIn(link.json.sign_in_link)
    const port = await freePort()
    const registered = await errata.fetch("/oauth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "The conformance suite",
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      }),
    })
    let approved = false
    const outcome = await Conformance.run(
      [
        "authorization",
        "--url",
        errata.url,
        "--client-id",
        registered.json.client_id,
        "--resource",
        `${errata.url}/mcp`,
        "-p",
        String(port),
      ],
      {
        // The suite prints the URL before its callback server listens, so a fast response would be refused.
        waitsFor: /^(http:\S+\/oauth\/authorize\?\S+)\n[\s\S]*Callback server started/m,
        acts: async ([, asked]) => {
          await fetch(await approveAt(browser, new URL(asked!)))
          approved = true
        },
      },
    )
    expectPass(outcome)
    expect(approved).toBe(true)
  })
})
