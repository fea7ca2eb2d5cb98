import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import * as Receiver from "../faults/support/Receiver.js"
import { createProject } from "../support/Rest.js"
import * as Server from "../support/Server.js"
import { cli, TestServer } from "./support/TestServer.js"

/** Receivers are on loopback. */
const reachable = Layer.effect(
  TestServer,
  Server.start(["--storage", "memory"], { ERRATA_ALLOW_PRIVATE_ADDRESSES: "true" }),
)

layer(reachable, { excludeTestServices: true })("errata webhooks and deliveries", (it) => {
  it.effect("send a test, retry a delivery, and print the result", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const receiver = yield* Receiver.make
      const { id } = yield* createProject(server, "Tried")
      const env = { ERRATA_PROJECT: "Tried" }
      const created = yield* cli(["webhooks", "create", receiver.url, "-e", "group.created", "--json"], {
        env,
      })
      const hook = JSON.parse(created.stdout)
      const webhook = String(hook.id)

      const tested = yield* cli(["webhooks", "test", webhook], { env })
      expect([tested.code, tested.stderr]).toEqual([0, ""])
      expect(tested.stdout).toMatch(
        /^Delivery +\d+\nWebhook +\d+\nEvent +webhook\.test\nStatus +succeeded\nAttempts +1\nAnswered +204\n/,
      )
      const delivery = /^Delivery +(\d+)$/m.exec(tested.stdout)![1]!

      const again = yield* cli(["deliveries", "resend", webhook, delivery, "--json"], { env })
      expect(again.code).toBe(0)
      const resent = JSON.parse(again.stdout)
      expect(resent).toMatchObject({ status: "succeeded", event: "webhook.test", attempts: 1 })
      expect(resent.id).toBeGreaterThan(Number(delivery))
      const shown = yield* cli(["deliveries", "get", webhook, String(resent.id), "--json"], { env })
      expect(shown.stdout).toBe(again.stdout)

      // The same message twice, each signed.
      expect(receiver.received).toHaveLength(2)
      expect(new Set(receiver.received.map(Receiver.messageId)).size).toBe(1)
      for (const { body, headers } of receiver.received) {
        const read = new Webhook(hook.secret).verify(body, headers as Record<string, string>)
        expect(read).toMatchObject({ event: "webhook.test", project_id: id })
      }
      expect((yield* cli(["deliveries", "resend", webhook, "999999"], { env })).code).toBe(4)
      expect((yield* cli(["webhooks", "test", "999999"], { env })).code).toBe(4)
    }),
  )

  it.effect("list the events and the fields that are valid", () =>
    Effect.gen(function* () {
      const events = /group\.created.*webhook\.test/
      const create = ["webhooks", "create", "https://example.com"]
      for (const args of [create, [...create, "--event", "group.creatd"]]) {
        expect(yield* cli(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(events) })
      }
      expect(yield* cli(["policies", "set", "error-retention", "days=30"])).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^errata: days is not a field of this policy that can be changed\. Fields: enabled, .*retention_period_days, .*time_purge_type\n$/,
        ),
      })
      for (const args of [
        ["policies", "get", "retention"],
        ["users", "set-role", "1", "owner"],
      ]) {
        expect(yield* cli(args)).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/error-retention|admin.*member/),
        })
      }
    }),
  )

  it.effect("report a rejection by the receiver", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Refused")
      const env = { ERRATA_PROJECT: "Refused" }
      // The server itself, which has nothing at this address.
      const target = `${server.url}/nowhere`
      const created = yield* cli(["webhooks", "create", target, "-e", "group.created", "--json"], { env })
      const webhook = String(JSON.parse(created.stdout).id)
      const { code, stderr, stdout } = yield* cli(["webhooks", "test", webhook], { env })
      expect([code, stderr]).toEqual([
        1,
        `errata: The test delivery of webhook ${webhook} failed: the receiver responded with 404\n`,
      ])
      expect(stdout).toMatch(
        /^Status +failed\nAttempts +1\nAnswered +404\nError +the receiver responded with 404\n/m,
      )
      // The reason fits on a narrow terminal.
      const listed = yield* cli(["deliveries", "list", webhook], { env, width: 70 })
      expect(listed.stdout).toContain("the receiver responded with 404")
    }),
  )
})
