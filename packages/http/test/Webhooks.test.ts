/** Webhooks from the outside: deliveries, and reactions to the responses of receivers. */
import type { ServerResponse } from "node:http"
import { defaultSettings } from "@errata/core"
import { Duration } from "effect"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Dispatching from "./support/Dispatching.js"
import * as Receiver from "./support/Receiver.js"
import { start, type TestInstance } from "./support/TestInstance.js"

const events = [
  "group.created",
  "group.resolved",
  "group.unresolved",
  "group.muted",
  "group.unmuted",
  "group.merged",
  "group.assigned",
]

/** Long enough for a busy machine. */
const patient = { timeout: 20_000 }

const webhooks = {
  ...defaultSettings.webhooks,
  pollInterval: Duration.millis(20),
  // Long enough for a busy machine: a timed-out attempt would be repeated.
  attemptTimeout: Duration.seconds(30),
}

describe("webhooks", () => {
  let errata: TestInstance
  let receiver: Receiver.Receiver
  let project: string
  let hook: { id: number; secret: string }
  let stopDispatching: () => Promise<void>

  beforeAll(async () => {
    errata = await start()
    receiver = await Receiver.start()
    project = `/projects/${errata.mine.id}`
    stopDispatching = Dispatching.start(errata, { webhooks })
    hook = await create({ url: `${receiver.url}/hook`, events })
  })
  afterAll(async () => {
    await stopDispatching()
    await receiver.stop()
    await errata.stop()
  })
  beforeEach(() => receiver.clear())

  const create = async (body: object) =>
    (await errata.api(`${project}/webhooks`, { method: "POST", body })).json

  const change = async (method: string, path: string, body?: object) => {
    const answer = await errata.api(`${project}${path}`, { method, ...(body !== undefined && { body }) })
    expect(answer.status).toBeLessThan(300)
    return answer.json
  }

  const deliveries = async (query = "") =>
    (await errata.api(`${project}/webhooks/${hook.id}/deliveries${query}`)).json.deliveries

  /** Waits for this many deliveries and returns them. */
  const told = async (count: number) => {
    await expect.poll(() => receiver.received.length, patient).toBeGreaterThanOrEqual(count)
    return receiver.received
  }

  const settled = () =>
    expect.poll(
      async () => (await deliveries()).filter(({ status }: { status: string }) => status === "pending"),
      patient,
    )

  const newGroup = async (fingerprint: string): Promise<{ id: number; path: string }> => {
    receiver.clear()
    const { group_id } = await errata.report({ message: fingerprint, fingerprint: [fingerprint] })
    await told(1)
    await settled().toEqual([])
    receiver.clear()
    return { id: group_id, path: `/groups/${group_id}` }
  }

  const listed = async (id: number) =>
    (await errata.api(`${project}/groups`)).json.groups.find((group: { id: number }) => group.id === id)

  it("are signed so that the published library verifies them", async () => {
    await errata.report({ message: "signed" })
    const [{ body, headers, json }] = (await told(1)) as [Receiver.Received]
    const verified = new Webhook(hook.secret).verify(body, headers as Record<string, string>)
    expect(verified).toEqual(json)
    expect(headers["content-type"]).toBe("application/json")
    const [delivery] = await deliveries()
    expect(headers["webhook-id"]).toBe(`msg_${hook.id}_${delivery.id}`)
    expect(delivery.request_body).toBe(body)
    expect(() => new Webhook(hook.secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  it("send each kind of change, with the group in the form of lists", async () => {
    const { report_id: _, ...first } = await errata.report({ message: "changes", fingerprint: ["changes"] })
    const id = first.group_id
    const [created] = await told(1)
    expect(created?.json).toEqual({
      event: "group.created",
      group_id: id,
      project_id: errata.mine.id,
      occurred_at: expect.stringMatching(/Z$/),
      actor: null,
      group: await listed(id),
    })
    const admin = { id: expect.any(Number), name: "admin" }
    const cases: ReadonlyArray<
      readonly [method: string, path: string, body: object | undefined, expected: object]
    > = [
      ["POST", "/resolve", undefined, { event: "group.resolved" }],
      ["DELETE", "/resolve", undefined, { event: "group.unresolved", reason: "manual" }],
      ["POST", "/bulk_resolve", { group_ids: [id] }, { event: "group.resolved" }],
      ["DELETE", "/bulk_resolve", { group_ids: [id] }, { event: "group.unresolved", reason: "manual" }],
      ["POST", "/mute", { occurrences: 5 }, { event: "group.muted" }],
      ["DELETE", "/mute", undefined, { event: "group.unmuted", reason: "manual" }],
      ["POST", "/bulk_mute", { group_ids: [id] }, { event: "group.muted" }],
      ["DELETE", "/bulk_mute", { group_ids: [id] }, { event: "group.unmuted", reason: "manual" }],
      ["PUT", "/assignee", { user_id: errata.memberId }, { event: "group.assigned" }],
      ["DELETE", "/assignee", undefined, { event: "group.assigned" }],
    ]
    for (const [method, path, body, expected] of cases) {
      receiver.clear()
      await change(method, `/groups/${id}${path}`, body)
      const group = await listed(id)
      const [{ json }] = (await told(1)) as [Receiver.Received]
      const common = { group_id: id, project_id: errata.mine.id, occurred_at: group.updated_at, actor: admin }
      expect(json).toEqual({ ...common, ...expected, group })
    }
    const source = await newGroup("changes: source")
    await change("POST", `/groups/${id}/bulk_merge`, { group_ids: [source.id] })
    const [{ json }] = (await told(1)) as [Receiver.Received]
    expect(json).toMatchObject({ event: "group.merged", source_ids: [source.id], actor: admin })
    expect(json.group).toEqual(await listed(id))
  })

  it("send exactly the specified body for a reopened group", async () => {
    const { id, path } = await newGroup("reopened")
    await change("POST", `${path}/resolve`)
    const before = await listed(id)
    await told(1)
    await settled().toEqual([])
    receiver.clear()
    const report = await errata.report({
      message: "reopened",
      fingerprint: ["reopened"],
      release: "2.0",
      timestamp: Date.now() / 1000,
    })
    const [{ json }] = (await told(1)) as [Receiver.Received]
    const withMicroseconds = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(json).toEqual({
      event: "group.unresolved",
      reason: "new_report",
      group_id: id,
      project_id: errata.mine.id,
      report_id: report.id,
      event_id: report.event_id,
      release_version: "2.0",
      report_occurred_at: withMicroseconds,
      report_received_at: withMicroseconds,
      previous_resolved_at: withMicroseconds,
      previous_resolver_id: before.resolver_id,
      previous_resolver_name: "admin",
    })
    expect(json.previous_resolved_at.slice(0, 23)).toBe(before.resolved_at.slice(0, 23))
    expect(json.report_occurred_at.slice(0, 23)).toBe(report.occurred_at.slice(0, 23))
  })

  it("send nothing about muted groups, or about warnings if the project disables them", async () => {
    const muted = await newGroup("muted")
    const mild = await newGroup("mild")
    await change("POST", `${muted.path}/mute`)
    await change("POST", `${muted.path}/resolve`)
    await errata.report({ message: "muted", fingerprint: ["muted"] })
    await change("PATCH", "/notification_settings", { error_and_fatal_notifications_only: true })
    await errata.report({ message: "warned", fingerprint: ["warned"], level: "warning" })
    await errata.report({ message: "fatal", fingerprint: ["fatal"], level: "fatal" })
    await change("POST", `${mild.path}/resolve`)
    const names = (await told(3)).map(({ json }) => [json.event, json.group.error_message])
    await settled().toEqual([])
    await change("PATCH", "/notification_settings", { error_and_fatal_notifications_only: false })
    expect(names).toHaveLength(3)
    expect(names).toEqual(
      expect.arrayContaining([
        ["group.muted", "muted"],
        ["group.created", "fatal"],
        ["group.resolved", "mild"],
      ]),
    )
  })

  it("are retried after temporary failures, at the time of Retry-After", async () => {
    const date = new Date(Date.now() + 1000).toUTCString()
    // A reused connection that the receiver has closed causes an immediate retry, which does not count as an attempt.
    receiver.closeIdle()
    receiver.answerNext(
      Receiver.status(500),
      Receiver.status(429, { "retry-after": "0" }),
      Receiver.status(408),
      Receiver.status(425),
      // Closed, so that the next attempt uses a new connection.
      Receiver.status(503, { "retry-after": date, connection: "close" }),
      (response) => response.socket?.destroy(),
    )
    await errata.report({ message: "again", fingerprint: ["again"] })
    const received = await told(7)
    await settled().toEqual([])
    const [delivery] = await deliveries("?event=group.created")
    expect(delivery).toMatchObject({ success: true, attempts: 7, response_status: 204, error: null })
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    for (const { body, headers } of received) {
      new Webhook(hook.secret).verify(body, headers as Record<string, string>)
    }
  })

  it("are retried after a timeout", async () => {
    await stopDispatching()
    const impatient = { ...webhooks, attemptTimeout: Duration.seconds(1) }
    stopDispatching = Dispatching.start(errata, { webhooks: impatient })
    receiver.answerNext(() => {})
    await errata.report({ message: "silence", fingerprint: ["silence"] })
    await told(2)
    await settled().toEqual([])
    const [delivery] = await deliveries("?event=group.created")
    expect(delivery).toMatchObject({ success: true, response_status: 204, error: null })
    expect(delivery.attempts).toBeGreaterThan(1)
    await stopDispatching()
    stopDispatching = Dispatching.start(errata, { webhooks })
  })

  it("wait for the receiver's Retry-After", async () => {
    // Longer than the other tests take, which must not hear of it again.
    receiver.answerNext(Receiver.status(503, { "retry-after": "3600" }))
    const sent = Date.now()
    await errata.report({ message: "later", fingerprint: ["later"] })
    await told(1)
    await expect.poll(async () => (await deliveries())[0].attempts, patient).toBe(1)
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({
      status: "pending",
      error: "the receiver responded with 503",
      response_status: 503,
    })
    expect(Date.parse(delivery.next_attempt_at) - sent).toBeGreaterThanOrEqual(3_600_000)
    // A waiting delivery does not block others.
    receiver.clear()
    await errata.report({ message: "not later", fingerprint: ["not later"] })
    await told(1)
  })

  it.each([301, 302, 307, 400, 401, 404, 410, 422])("are not retried after the response %i", async (code) => {
    receiver.answerNext(Receiver.status(code, { location: `${receiver.url}/elsewhere` }))
    const answer = await change("POST", `/webhooks/${hook.id}/test`)
    expect(answer).toMatchObject({ status: "failed", attempts: 1, response_status: code })
    receiver.clear()
    receiver.answerNext(Receiver.status(code, { location: `${receiver.url}/elsewhere` }))
    await errata.report({ message: `final ${code}`, fingerprint: [`final ${code}`] })
    await told(1)
    await expect
      .poll(async () => (await deliveries("?event=group.created"))[0].status, patient)
      .toBe("failed")
    expect((await deliveries("?event=group.created"))[0]).toMatchObject({
      success: false,
      attempts: 1,
      error: `the receiver responded with ${code}`,
      next_attempt_at: null,
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"])
  })

  it("can be tested, enabled or not, and can retry a delivery", async () => {
    const silent = await create({ url: `${receiver.url}/silent`, events: ["group.merged"], enabled: false })
    const tested = await change("POST", `/webhooks/${silent.id}/test`)
    expect(tested).toMatchObject({
      webhook_id: silent.id,
      event: "webhook.test",
      status: "succeeded",
      attempts: 1,
      response_status: 204,
    })
    expect(receiver.received[0]?.json).toEqual({
      event: "webhook.test",
      webhook_id: silent.id,
      group_id: null,
      project_id: errata.mine.id,
      occurred_at: expect.any(String),
      actor: { id: expect.any(Number), name: "admin" },
      group: null,
    })
    // A resend is attempted once. The caller sees the result.
    receiver.answerNext(Receiver.status(500))
    const again = await change("POST", `/webhooks/${silent.id}/deliveries/${tested.id}/resend`)
    expect(again).toMatchObject({
      status: "failed",
      attempts: 1,
      response_status: 500,
      next_attempt_at: null,
    })
    expect(again.id).not.toBe(tested.id)
    const third = await change("POST", `/webhooks/${silent.id}/deliveries/${again.id}/resend`)
    expect([third.status, third.request_body]).toEqual(["succeeded", tested.request_body])
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
    for (const path of [`/webhooks/${silent.id}/deliveries/999999/resend`, "/webhooks/999999/test"]) {
      expect((await errata.api(`${project}${path}`, { method: "POST" })).status).toBe(404)
    }
  })

  it("receive nothing while they are disabled", async () => {
    const { id } = await create({ url: `${receiver.url}/off`, events: ["group.created"] })
    const busyIfOff = (response: ServerResponse) => {
      const isOff = response.req.url === "/off"
      Receiver.status(isOff ? 503 : 204, isOff ? { "retry-after": "5" } : {})(response)
    }
    receiver.answerNext(busyIfOff, busyIfOff)
    await errata.report({ message: "off", fingerprint: ["off"] })
    await told(2)
    await change("PATCH", `/webhooks/${id}`, { enabled: false })
    const of = async () => (await errata.api(`${project}/webhooks/${id}/deliveries`)).json.deliveries
    await expect.poll(async () => (await of())[0].status, patient).toBe("failed")
    expect((await of())[0]).toMatchObject({ error: "the webhook is disabled", attempts: 2 })
    expect(receiver.received.filter(({ path }) => path === "/off")).toHaveLength(1)
    receiver.clear()
    await errata.report({ message: "still off", fingerprint: ["still off"] })
    await told(1)
    expect(await of()).toHaveLength(1)
  })

  it("do not hold each other up", async () => {
    const hung: Array<unknown> = []
    const slow = await Receiver.start()
    slow.answerNext(...Array.from({ length: 100 }, () => (response: unknown) => void hung.push(response)))
    const { id } = await create({ url: slow.url, events: ["group.created"] })
    const names = Array.from({ length: 30 }, (_, i) => `many ${i}`)
    for (const name of names) await errata.report({ message: name, fingerprint: [name] })
    await told(names.length)
    // After two deliveries at first, a receiver without responses gets one at a time.
    expect(slow.received.length).toBeLessThan(names.length)
    await change("DELETE", `/webhooks/${id}`)
    await slow.stop()
  })

  it("never reach an address that is not public, unless the operator allows it", async () => {
    await stopDispatching()
    stopDispatching = Dispatching.start(errata, { allowPrivateAddresses: false })
    const tested = await change("POST", `/webhooks/${hook.id}/test`)
    expect(tested).toMatchObject({
      status: "failed",
      attempts: 1,
      response_status: null,
      error: "the receiver's address is not public (see ERRATA_ALLOW_PRIVATE_ADDRESSES)",
    })
    expect(receiver.received).toEqual([])
  })
})
