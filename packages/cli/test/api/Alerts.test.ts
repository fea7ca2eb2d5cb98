import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { freePort } from "../support/FreePort.js"
import { createProject } from "../support/Rest.js"
import * as Server from "../support/Server.js"
import { cli, failure, projectWith, TestServer } from "./support/TestServer.js"

/** Receivers are on loopback. Chats need a base URL for links in messages. */
const reachable = Layer.effect(
  TestServer,
  Effect.flatMap(freePort, (port) =>
    Server.start(["--storage", "memory", "--port", String(port)], {
      ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
      ERRATA_BASE_URL: `http://127.0.0.1:${port}`,
    }),
  ).pipe(Effect.retry({ times: 4 })),
)

/** A chat on loopback that responds with this status. */
const chat = (status: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly url: string; readonly bodies: Array<string>; readonly close: () => void }>(
          (resolve) => {
            const bodies: Array<string> = []
            const server = createServer((request, response) => {
              let body = ""
              request.on("data", (chunk) => {
                body += chunk
              })
              request.on("end", () => {
                bodies.push(body)
                response.writeHead(status).end("ok")
              })
            })
            server.listen(0, "127.0.0.1", () =>
              resolve({
                url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secretpart`,
                bodies,
                close: () => server.close(),
              }),
            )
          },
        ),
    ),
    ({ close }) => Effect.sync(close),
  )

layer(reachable, { excludeTestServices: true })("errata targets, alerts and notifications", (it) => {
  it.effect("manage a target whose secret is in no argument and no output", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Chatting")
      const env = { ERRATA_PROJECT: "Chatting" }
      const receiver = yield* chat(200)
      const kinds = yield* cli(["targets", "kinds"])
      expect(kinds.stdout).toMatch(/^ntfy \(.+\)$/m)
      expect(kinds.stdout).toMatch(/^ {2}url +required, secret\. .+$/m)
      expect(kinds.stdout).toContain("Mail is not set up.")

      const refused = yield* cli(["targets", "create", "mattermost", "#a", `url=${receiver.url}`], { env })
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/^errata: url is secret/) })
      expect(refused.stderr).not.toContain("secretpart")
      expect(yield* cli(["targets", "create", "mattermost", "#a"], { env })).toMatchObject({
        code: 2,
        stderr: "errata: url must be given on standard input. Give --with-secrets\n",
      })
      expect(yield* cli(["targets", "create", "pigeon", "#a"], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/no kind of target named "pigeon"\. Kinds: .*mattermost/),
      })
      const wrong = yield* cli(["targets", "create", "mattermost", "#a", "--with-secrets"], {
        env,
        input: "x=secretpart\ny",
      })
      expect(wrong).toMatchObject({
        code: 2,
        stderr: "errata: Line 1 of standard input must be one of url=VALUE\n",
      })

      const flags = ["--quiet-hours", "22:00-07:00 Europe/Vienna", "--with-secrets", "--json"]
      const created = yield* cli(["targets", "create", "mattermost", "#shop", ...flags], {
        env,
        input: `url=${receiver.url}\n`,
      })
      expect([created.code, created.stderr]).toEqual([0, ""])
      const target = JSON.parse(created.stdout)
      expect(target).toMatchObject({
        kind: "mattermost",
        address: {},
        secret_fields: ["url"],
        quiet_hours: { from: "22:00", to: "07:00", timezone: "Europe/Vienna" },
      })
      const id = String(target.id)
      const list = yield* cli(["targets", "list"], { env, width: 120 })
      expect(list.stdout).toMatch(/#shop +enabled +22:00-07:00 Europe\/Vienna/)
      const tested = yield* cli(["targets", "test", id], { env })
      expect([tested.code, tested.stderr]).toEqual([0, ""])
      expect(tested.stdout).toMatch(
        /^Notification +\d+\nTarget +\d+ \(mattermost\)\nStatus +succeeded\nAttempts +1\nAnswered +200\n/,
      )
      expect(receiver.bodies).toHaveLength(1)

      const broken = yield* chat(404)
      const moved = yield* cli(["targets", "update", id, "--with-secrets", "--quiet-hours", "none"], {
        env,
        input: broken.url,
      })
      expect([moved.code, moved.stderr]).toEqual([0, ""])
      const failed = yield* cli(["notifications", "test", id], { env })
      expect(failed).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^errata: The test of target \d+ failed: /),
      })
      const history = yield* cli(["notifications", "list", "--status", "failed"], { env, width: 160 })
      expect(history.stdout).toMatch(/#shop +failed/)
      for (const { stderr, stdout } of [created, list, tested, moved, failed, history]) {
        expect(stdout + stderr).not.toContain("secretpart")
      }
      // A rule names the target.
      const rule = yield* cli(
        ["alerts", "create", "Fatal", "--when", "fatal", "--to", id, "--to", "members"],
        { env },
      )
      expect(rule.stdout).toMatch(/^Then +members, #shop$/m)
      const rules = yield* cli(["alerts", "list"], { env, width: 160 })
      expect(rules.stdout).toContain("fatal → members, #shop; at most every 60 min")
      expect((yield* cli(["targets", "update", id], { env })).code).toBe(2)
      expect((yield* cli(["targets", "delete", id], { env })).stderr).toBe(`Deleted target ${id}.\n`)
      expect((yield* cli(["targets", "get", id], { env })).code).toBe(4)
    }),
  )

  it.effect("list rules in a line each, and make, change and try one", () =>
    Effect.gen(function* () {
      const project = yield* projectWith("Ruled", [failure("First"), failure("Second")])
      const env = { ERRATA_PROJECT: "Ruled" }
      const list = yield* cli(["alerts", "list"], { env, width: 160 })
      expect(list.stderr).toBe("The project has no rules of its own. These are the default rules.\n")
      expect(list.stdout).toContain("new, reopened → members, all targets; at most every 60 min")
      const defaults = yield* cli(["alerts", "defaults"], { width: 160 })
      expect(defaults.stdout).toContain("new, reopened → members, all targets; at most every 60 min")

      expect(yield* cli(["alerts", "create", "Spikes"], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Give --when"),
      })
      expect(yield* cli(["alerts", "create", "Spikes", "--when", "reports"], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--when must be created, .* not "reports"/),
      })
      const flags = ["--when", "reports=100/5m", "--when", "fatal", "--environment", "production"]
      const created = yield* cli(
        ["alerts", "create", "Spikes", ...flags, "--to", "members", "--every", "0", "--json"],
        { env },
      )
      expect([created.code, created.stderr]).toEqual([0, ""])
      const rule = JSON.parse(created.stdout)
      expect(rule).toMatchObject({
        name: "Spikes",
        triggers: [{ type: "reports", count: 100, minutes: 5, of: "group" }, { type: "fatal" }],
        filter: { query: "", environments: ["production"], severities: [] },
        receivers: { members: true, targets: [] },
        repeat_minutes: 0,
      })
      const changed = yield* cli(["alerts", "update", String(rule.id), "--severity", "fatal"], { env })
      expect(changed.stdout).toMatch(/^When +more than 100 reports in 5 min, fatal$/m)
      expect(changed.stdout).toMatch(/^If +in production; fatal$/m)
      expect(changed.stdout).toMatch(/^At most +every time$/m)
      const rate = yield* cli(["alerts", "update", String(rule.id), "--when", "rate=2.5"], { env })
      expect(rate.stdout).toMatch(/^When +2\.5 times the usual rate$/m)
      expect(yield* cli(["alerts", "update", String(rule.id)], { env })).toMatchObject({ code: 2 })
      const got = yield* cli(["alerts", "get", String(rule.id), "--json"], { env })
      expect(JSON.parse(got.stdout)).toMatchObject({
        filter: { environments: ["production"], severities: ["fatal"] },
      })

      const run = yield* cli(["alerts", "dry-run", "--when", "created"], { env })
      expect(run.code).toBe(0)
      expect(run.stdout).toMatch(/^The rule would have notified 2 times since /)
      expect(run.stdout).toMatch(/created {2}group \d+ {2}Second: Second happened/)
      const none = yield* cli(["alerts", "dry-run", String(rule.id), "--json"], { env })
      expect(JSON.parse(none.stdout)).toMatchObject({ count: 0, matches: [] })
      expect((yield* cli(["alerts", "delete", String(rule.id)], { env })).stderr).toBe(
        `Deleted rule ${rule.id}.\n`,
      )
      expect((yield* cli(["alerts", "get", String(rule.id)], { env })).code).toBe(4)
      expect(project.id).toBeGreaterThan(0)
    }),
  )

  it.effect("show the mail of a person, and history", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Mailed")
      const env = { ERRATA_PROJECT: "Mailed" }
      const set = yield* cli(["mail-settings", "set", "--mode", "assigned", "--digest", "weekly"], { env })
      expect(set.stdout).toMatch(/^Notifications +assigned\nDigest +weekly\nMail +not set up/)
      expect((yield* cli(["mail-settings", "get"], { env })).stdout).toBe(set.stdout)
      expect(yield* cli(["mail-settings", "set"], { env })).toMatchObject({ code: 2 })
      expect(yield* cli(["notifications", "list"], { env })).toMatchObject({
        code: 0,
        stderr: "No notifications.\n",
      })
      expect((yield* cli(["notifications", "test", "999999"], { env })).code).toBe(4)
    }),
  )
})
