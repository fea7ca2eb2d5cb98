import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { createErrata, type Errata, memory } from "errata"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { failures, ndjsonServer } from "../NdjsonServer.js"

describe("NDJSON over TCP", () => {
  let errata: Errata
  let server: ReturnType<typeof ndjsonServer>
  beforeEach(async () => {
    // The rate limit is of a minute, which does not end during a test.
    const now = Date.parse("2026-01-01T00:00:30Z")
    errata = await createErrata({
      storage: memory(),
      transports: [failures],
      log: "silent",
      now: () => now,
    })
    server = ndjsonServer(errata).listen(0, "127.0.0.1")
    await once(server, "listening")
  })
  afterEach(async () => {
    server.close()
    await errata.close()
  })

  /** Sends lines and returns the responses after the connection is closed. */
  const send = async (...lines: ReadonlyArray<string>) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    // The server may close the connection before it has read everything.
    socket.on("error", () => {})
    let answers = ""
    socket.setEncoding("utf8").on("data", (text) => {
      answers += text
    })
    socket.end(lines.map((line) => `${line}\n`).join(""))
    await new Promise((resolve) => socket.once("close", resolve))
    return answers
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
  }

  const failure = (id: string) => JSON.stringify({ id, job: "send-invoices", error: "no template" })

  it("records each failure once", async () => {
    const { id, token } = errata.project
    const answers = await send(token, failure("one"), failure("two"), failure("one"))
    expect(answers).toMatchObject([{ _tag: "Accepted" }, { _tag: "Accepted" }, { _tag: "Accepted" }])
    await errata.flush()
    const { groups } = await errata.groups.list(id)
    expect(groups).toMatchObject([{ error_type: "JobFailure", culprit: "send-invoices", reports_count: 2 }])
  })

  it("refuses an unknown token", async () => {
    expect(await send("0".repeat(32), failure("one"))).toEqual([{ _tag: "Refused", reason: "token" }])
  })

  it("returns the retry time while the rate limit is reached", async () => {
    await errata.policies.updateIngestProtection({ enabled: true, global_rate_limit_per_minute: 1 })
    const answers = await send(errata.project.token, failure("one"), failure("two"))
    expect(answers).toMatchObject([
      { _tag: "Accepted" },
      { _tag: "Later", reason: "rate", retryAfterSeconds: expect.any(Number) },
    ])
  })

  it("ends the connection of a sender whose line is too long or not JSON", async () => {
    const { token } = errata.project
    expect(await send(token, "x".repeat(200_000))).toEqual([])
    expect(await send(token, "{")).toEqual([])
  })
})
