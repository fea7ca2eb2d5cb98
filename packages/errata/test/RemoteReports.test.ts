/** `@errata/effect` reports to a real server by DSN, also from processes that end. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Errata } from "@errata/effect"
import { Data, Effect, ErrorReporter, Logger } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { buildProgram } from "../../../test/Program.js"
import { createErrata, type Errata as Instance, memory } from "../src/index.js"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly kettle: string }> {
  override readonly [ErrorReporter.attributes] = { kettle: this.kettle }
}

/** The first request of a server loads most of its code. */
const patient = { shutdownTimeout: "30 seconds" } as const

let program = ""
beforeAll(async () => {
  program = await buildProgram("reports", new URL("support/reports.ts", import.meta.url))
})

let errata: Instance
const servers: Array<Server> = []
const listen = async (server: Server) => {
  servers.push(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const close = async (server: Server) => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
beforeAll(async () => {
  const host = await listen(createServer((request, response) => errata.nodeHandler(request, response)))
  errata = await createErrata({ storage: memory(), log: "silent", baseUrl: `http://${host}` })
})
afterEach(async () => {
  for (const server of servers.splice(1)) await close(server)
})
afterAll(async () => {
  for (const server of servers.splice(0)) await close(server)
  await errata.close()
})

/** The only group of a search, when it is recorded, and the details of a report in it. */
const recorded = async (query: string) => {
  await errata.flush({ timeout: 30_000 })
  const { groups } = await errata.groups.list(errata.project.id, { query })
  expect(groups).toHaveLength(1)
  const [group] = groups as [(typeof groups)[0]]
  const { reports } = await errata.reports.list(errata.project.id, group.id)
  return { group, report: await errata.reports.get(errata.project.id, group.id, reports[0]!.id) }
}

describe("an application", () => {
  const run = (effect: Effect.Effect<unknown, unknown>, options: Errata.Options = {}) =>
    effect.pipe(
      Effect.exit,
      Effect.provide(Errata.layer({ dsn: errata.dsn(), ...patient, processHandlers: false, ...options })),
      Effect.provide(Logger.layer([])),
      Effect.runPromise,
    )

  it("reports failures in one group, with all context", async () => {
    const brew = Effect.suspend(() => Effect.fail(new OutOfTea({ kettle: "blue" }))).pipe(
      Effect.withSpan("brew"),
      Effect.annotateLogs({ tenant: "acme", "user.id": 7 }),
    )
    const serve = Effect.andThen(Effect.logInfo("A guest arrives"), brew).pipe(
      Effect.withErrorReporting,
      Effect.annotateLogs({ tenant: "acme", "user.id": 7 }),
      Effect.withSpan("serve"),
      Effect.exit,
    )
    await run(Effect.all([serve, serve, serve]), { release: "shop@2", environment: "staging" })
    const { group, report } = await recorded("OutOfTea")
    expect(group).toMatchObject({ reports_count: 3, error_type: "OutOfTea", culprit: "serve" })
    expect(report).toMatchObject({
      release: { version: "shop@2" },
      environment: "staging",
      user: { user_id: "7" },
      breadcrumbs: [{ message: "A guest arrives" }],
      contexts: expect.arrayContaining([
        expect.objectContaining({
          name: "trace",
          data: expect.objectContaining({ trace_id: expect.any(String), span_id: expect.any(String) }),
        }),
      ]),
    })
    expect(
      (await errata.groups.list(errata.project.id, { query: "kettle:blue tenant:acme" })).groups,
    ).toHaveLength(1)
  })

  it("continues while the server does not respond", async () => {
    const host = await listen(createServer(() => {}))
    await run(Effect.logError("not delivered"), {
      dsn: `http://key@${host}/1`,
      shutdownTimeout: "100 millis",
    })
  })
})

describe("a process that ends", () => {
  const end = async (...args: ReadonlyArray<string>) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ])
    return { stdout, stderr, code, signal }
  }

  it.each([
    ["by a failure of its main program", "failure", 1, "OutOfTea", "error"],
    ["after a line of the log", "log", 0, "burns", "fatal"],
    ["by an exception outside of Effect", "exception", 1, "thrown", "fatal"],
    ["by a rejection outside of Effect", "rejection", 1, "rejected", "fatal"],
    ["by a signal", "signal", 130, "signal", "error"],
    ["without the end of its runtime", "runtime", 0, "without", "error"],
  ])("%s delivers its reports", async (_, way, code, query, severity) => {
    expect(await end(way, errata.dsn())).toMatchObject({ code })
    const { group, report } = await recorded(`release:shop@1.4.0 ${query}`)
    expect(group).toMatchObject({ reports_count: 1, severity })
    expect(report).toMatchObject({ environment: "test" })
  })

  it("delivers many reports", async () => {
    expect(await end("burst", errata.dsn())).toMatchObject({ code: 0 })
    await errata.flush({ timeout: 30_000 })
    const { groups } = await errata.groups.list(errata.project.id, { query: "many" })
    expect(groups.reduce((sum, { reports_count: count }) => sum + count, 0)).toBe(200)
  })

  it("does not wait for a server that does not respond or cannot be reached", async () => {
    const silent = await listen(createServer(() => {}))
    const hanging = await end("failure", `http://key@${silent}/1`, "300 millis")
    expect(hanging.code).toBe(1)
    expect(hanging.stdout).toContain("An error was not reported: It was not delivered within 300ms")

    const gone = await listen(createServer(() => {}))
    await close(servers.pop()!)
    const down = await end("exception", `http://key@${gone}/1`)
    expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining("RangeError: thrown") })
    expect(down.stdout).toMatch(/An error was not reported: .* is unreachable: connect ECONNREFUSED/)
  })
})
