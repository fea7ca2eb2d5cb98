/** All clients call each endpoint of the contract once on a real instance. */

import { makeErrataApi } from "@errata/api"
import { ErrataClient } from "@errata/api/client"
import { clientOver, createErrataClient } from "@errata/api/promise"
import { Actor, WebhookId } from "@errata/core"
import {
  DeliveryStore,
  MemberMailStore,
  SourcemapReportStore,
  UserStore,
  unprocessed,
} from "@errata/core/ports"
import { DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Calls from "../../src/Calls.js"
import * as Dispatching from "../support/Dispatching.js"
import { adminKey, start, type TestInstance } from "../support/TestInstance.js"
import { httpTarget } from "../support/TestTarget.js"

const contract: Array<string> = []
/** Schemas of the JSON responses. */
const answers = new Map<string, Schema.Codec<unknown>>()
HttpApi.reflect(makeErrataApi(), {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, successes }) => {
    const name = `${group.identifier}.${endpoint.identifier}`
    contract.push(name)
    const schemas = Array.from(successes.values()).flat() as ReadonlyArray<unknown> as ReadonlyArray<
      Schema.Codec<unknown>
    >
    if (name === "reports.getAttachment" || schemas.some(({ ast }) => HttpApiSchema.isNoContent(ast))) return
    answers.set(name, Schema.Union(schemas))
  },
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
type Anything = any

/** Calls `group.endpoint` with the arguments of the clients. */
type Call = (name: string, ...args: ReadonlyArray<unknown>) => Promise<Anything>

const callOf = (errata: Anything): Call => {
  return async (name, ...args) => {
    const [group = "", endpoint = ""] = name.split(".")
    const answer = errata[group][endpoint](...args)
    return endpoint === "list" ? answer.page() : answer
  }
}

const viaPromise = async ({ url }: TestInstance): Promise<Call> =>
  callOf(createErrataClient({ baseUrl: url, apiKey: adminKey }))

/** Responses match the contract exactly, although no schema encodes them. */
const viaProcess = async ({ run, url }: TestInstance): Promise<Call> => {
  const [calls, admin] = await run(
    Effect.all([
      Calls.make({ baseUrl: url }),
      Effect.flatMap(UserStore, (users) => users.findByEmailAddress("admin@example.com")),
    ]),
  )
  const actor = Effect.succeed(Actor.Person({ user: Option.getOrThrow(admin) }))
  const call = callOf(clientOver({ baseUrl: url }, (sent, signal) => calls.as(actor, sent, signal)))
  return async (name, ...args) => {
    const answer = await call(name, ...args)
    const schema = answers.get(name)
    if (schema !== undefined) {
      const decoded = Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(answer)
      expect(answer).toEqual(Schema.encodeSync(schema)(decoded))
    }
    return answer
  }
}

const viaEffect = async ({ url: baseUrl }: TestInstance): Promise<Call> => {
  const options = { baseUrl, apiKey: Redacted.make(adminKey) }
  return (name, ...args) => {
    const [group = "", endpoint = ""] = name.split(".")
    return Effect.runPromise(
      Effect.flatMap(
        ErrataClient,
        (errata: Anything): Effect.Effect<Anything> => errata[group][endpoint](...args),
      ).pipe(Effect.provide(ErrataClient.layerFetch(options))),
    )
  }
}

describe.each([
  ["the Effect client", viaEffect],
  ["the Promise client", viaPromise],
  ["the calls within the process", viaProcess],
])("%s", (_, connect) => {
  let errata: TestInstance
  let client: Call
  const called = new Set<string>()
  const call: Call = async (name, ...args) => {
    const answer = await client(name, ...args)
    called.add(name)
    return answer
  }
  const ids = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)

  let project: number
  let member: number
  beforeAll(async () => {
    errata = await start({ targets: [httpTarget] })
    client = await connect(errata)
    project = errata.mine.id
    member = errata.memberId
  })
  afterAll(() => errata.stop())

  it("me", async () => {
    expect(await call("me.get")).toMatchObject({ user: { name: "admin", admin: true } })
    expect((await call("projects.access", project)).can).toContain("project.administer")
  })

  it("projects", async () => {
    const { id } = await call("projects.create", { name: "new", platform: "node" })
    expect(await call("projects.get", id)).toMatchObject({ id, name: "new", timezone: "UTC" })
    expect(await call("projects.update", id, { name: "newer" })).toMatchObject({ id, name: "newer" })
    expect((await call("projects.rotateToken", id)).token).toMatch(/^[0-9a-f]{32}$/)
    expect(await call("projects.list", { name: "newer" })).toMatchObject({
      projects: [{ id }],
      next_cursor: null,
      has_more: false,
    })
    await call("projects.mute", id, { snooze_until: "2999-01-01" })
    expect((await call("projects.get", id)).muted).toBe(true)
    await call("projects.unmute", id)
    expect((await call("projects.get", id)).muted).toBe(false)
    const settings = { error_and_fatal_notifications_only: true }
    expect(await call("projects.updateNotificationSettings", id, settings)).toEqual(settings)
    expect(await call("projects.getNotificationSettings", id)).toEqual(settings)
    expect((await call("projects.sendTestEvent", id)).event_id).toMatch(/^[0-9a-f]{32}$/)
    expect(await call("projects.remove", id)).toBeUndefined()
    expect((await call("projects.list", { name: "newer" })).projects).toEqual([])
  })

  it("groups, reports and notes", async () => {
    const reports: Array<Anything> = []
    for (const [index, message] of ["alpha", "beta", "gamma"].entries()) {
      const event_id = String(index + 1).repeat(32)
      reports.push(await errata.report({ event_id, message, release: "1", tags: { area: "cart" } }))
    }
    const [a = 0, b = 0, c = 0] = reports.map((report): number => report.group_id)

    const page = await call("groups.list", project, { query: "is:unresolved", limit: 2 })
    expect(ids(page.groups)).toEqual([c, b])
    expect(ids((await call("groups.list", project, { cursor: page.next_cursor })).groups)).toEqual([a])

    expect(ids((await call("groups.listAll", { project_ids: [project], limit: 1 })).groups)).toEqual([c])
    expect(await call("groups.count", project)).toEqual({ count: 3, capped: false })
    expect((await call("tags.ofGroup", project, a)).tags).toContainEqual(
      expect.objectContaining({ key: "area", reports_count: 1 }),
    )
    expect((await call("tags.valuesOfGroup", project, a, "area")).values).toEqual([
      { value: "cart", reports_count: 1 },
    ])
    expect((await call("tags.keys", project)).tags).toContainEqual({ key: "area" })
    expect(await call("tags.values", project, "area", { prefix: "ca" })).toEqual({ values: ["cart"] })
    await call("groups.resolve", project, a)
    expect((await call("groups.get", project, a)).resolved).toBe(true)
    await call("groups.unresolve", project, a)
    await call("groups.mute", project, a, { occurrences: 5 })
    expect(await call("groups.get", project, a)).toMatchObject({
      resolved: false,
      muted_until_reports_count: 6,
      grouping: { algorithm: "v2" },
    })
    await call("groups.unmute", project, a)
    expect(await call("groups.bulkResolve", project, [a, b])).toEqual({ processed: 2 })
    expect(await call("groups.bulkUnresolve", project, [a, b, 999_999])).toEqual({ processed: 2 })
    expect(await call("groups.bulkMute", project, [999_999, c], a)).toEqual({ processed: 1 })
    expect(await call("groups.bulkUnmute", project, [a, c])).toEqual({ processed: 1 })
    await call("groups.assign", project, a, member)
    expect((await call("groups.get", project, a)).assignee_id).toBe(member)
    await call("groups.unassign", project, a)
    await call("groups.linkIssue", project, a, "https://issues.example.com/1")
    expect((await call("groups.get", project, a)).issue_url).toBe("https://issues.example.com/1")
    await call("groups.unlinkIssue", project, a)
    expect(await call("groups.bulkMerge", project, a, [b])).toEqual({ processed: 1, merged_into_id: a })

    const [latest, first] = (await call("reports.list", project, a, { since: "2020-01-01" })).reports
    expect([latest.error_message, first.error_message]).toEqual(["beta", "alpha"])
    const detail = await call("reports.get", project, a, first.id)
    expect(detail).toMatchObject({ id: first.id, release: { version: "1" } })
    expect(await call("reports.findByEventId", project, "1".repeat(32))).toEqual(detail)
    expect(await call("reports.findAnywhere", "1".repeat(32))).toEqual(detail)
    expect(await call("reports.latest", project, a, { include: "navigation" })).toMatchObject({
      id: latest.id,
      navigation: { first_id: first.id, previous_id: first.id, next_id: null, last_id: latest.id },
    })

    const sent = await errata.fetch(
      `/api/${project}/envelope/?sentry_key=${errata.mine.token}`,
      attachmentEnvelope("1".repeat(32), "what was \u0000 seen"),
    )
    expect(sent.status).toBe(200)
    await errata.record()
    const [attachment] = (await call("reports.get", project, a, first.id)).attachments
    const bytes = await call("reports.getAttachment", project, a, first.id, attachment.id)
    expect(bytes).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(bytes).toString()).toBe("what was \u0000 seen")

    const waiting = <A, E>(use: (store: SourcemapReportStore["Service"]) => Effect.Effect<A, E>) =>
      errata.run(Effect.flatMap(SourcemapReportStore, use))
    await waiting(({ queue }) =>
      queue({ projectId: errata.mine.id, reportId: first.id }, DateTime.makeUnsafe(0)),
    )
    const retry = () => call("reports.retrySourcemaps", project, a, first.id)
    expect(await retry()).toMatchObject({ result: "in_progress", report_id: first.id })
    const resolved = { ...unprocessed, status: "resolved" } as const
    await waiting(({ lease, settle }) =>
      Effect.flatMap(lease({ limit: 1, perProject: 1, duration: Duration.minutes(1) }), ([leased]) =>
        settle(leased!, { resolution: resolved, culprit: null }, DateTime.makeUnsafe(0)),
      ),
    )
    // The response has another status than the one before.
    expect(await retry()).toMatchObject({ result: "resolved", sourcemap_status: "resolved" })

    const { merges } = await call("merges.list", project, a, { limit: 1 })
    expect(merges).toMatchObject([{ source_id: b, target_id: a }])
    await call("merges.undo", project, a, merges[0].id)
    expect((await call("merges.list", project, a)).merges).toEqual([])
    expect((await call("groups.get", project, b)).reports_count).toBe(1)

    const note = await call("notes.create", project, a, { content: "Seen" })
    expect(note).toMatchObject({ content: "Seen", automated: false, user: { name: "admin" } })
    expect((await call("notes.list", project, a, { limit: 1 })).notes).toEqual([note])
    await call("notes.remove", project, a, note.id)
    expect(ids((await call("notes.list", project, a)).notes)).not.toContain(note.id)

    await call("groups.remove", project, c)
    await expect(call("groups.get", project, c)).rejects.toThrow()
  })

  it("artifacts", async () => {
    const form = new FormData()
    form.append("file", new Blob(["run()"]), "app.js")
    form.append("name", "~/app.js")
    const sent = await errata.fetch(`/api/0/projects/any/${project}/releases/shop@1/files/`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: form,
    })
    expect(sent.status).toBe(201)
    const { artifact_bundles: bundles } = await call("artifacts.list", project, { limit: 5 })
    expect(bundles).toHaveLength(1)
    const [{ id }] = bundles
    expect((await call("artifacts.get", project, id)).id).toBe(id)
    await call("artifacts.remove", project, id)
    expect((await call("artifacts.list", project)).artifact_bundles).toEqual([])
  })

  it("members and users", async () => {
    expect(ids((await call("members.list", project)).users)).toContain(member)
    expect((await call("people.all")).people).toContainEqual({ id: member, name: "member" })
    expect((await call("assignees.list", project)).assignees).toContainEqual({ id: member, name: "member" })
    await call("members.remove", project, member)
    expect(ids((await call("members.list", project)).users)).not.toContain(member)
    await call("members.add", project, member)
    expect(await call("users.get", member)).toMatchObject({ role: "member", project_ids: [project] })
    expect(await call("users.update", member, { role: "admin" })).toMatchObject({ role: "admin" })
    expect(ids((await call("users.list", { limit: 100 })).users)).toContain(member)
    const created = await call("users.create", { email_address: "created@example.com" })
    expect(created).toMatchObject({ role: "member", sign_in_link: expect.stringContaining("/sign_in/link?") })
    expect(await call("users.createSignInLink", created.id)).toHaveProperty("sign_in_link_expires_at")
    expect((await call("users.rotateApiKey", created.id)).api_key).toMatch(/^errata_/)
    await call("users.deactivate", member)
    expect(ids((await call("users.list")).users)).not.toContain(member)
  })

  it("activity", async () => {
    const { group_id } = await errata.report({ message: "of an hour" })
    const query = { since: "1h", group_ids: [group_id, group_id + 1_000] }
    expect((await call("activity.get", project, query)).series).toMatchObject([
      { group_id, new_groups: null, total: 1 },
      { total: 0 },
    ])
    expect((await call("activity.get", project, { step: "day" })).series[0].total).toBeGreaterThan(0)
  })

  it("releases", async () => {
    await errata.report({ message: "of a release", release: "every@1" })
    const { releases } = await call("releases.list", project, { version: "every@1" })
    expect(releases).toMatchObject([{ version: "every@1", reports_count: 1, new_groups_count: 1 }])
    expect(await call("releases.get", project, releases[0].id)).toEqual(releases[0])
    const newest = await call("releases.newest", project)
    expect(newest.releases).toContainEqual({
      id: releases[0].id,
      version: "every@1",
      appeared_at: releases[0].first_seen_at,
    })
    expect((await call("releases.list", project, { version: "none" })).releases).toEqual([])
  })

  it("origins of source maps", async () => {
    const origin = { origin: "https://cdn.errata.io" }
    const created = await call("sourcemapOrigins.create", project, origin)
    expect(created).toMatchObject(origin)
    expect((await call("sourcemapOrigins.list", project)).hosted_sourcemap_origins).toEqual([created])
    await call("sourcemapOrigins.remove", project, created.id)
    expect((await call("sourcemapOrigins.list", project)).hosted_sourcemap_origins).toEqual([])
  })

  it("webhooks and deliveries", async () => {
    const webhook = { url: "http://127.0.0.1:9/errata", events: ["group.created"] }
    const { secret, ...created } = await call("webhooks.create", project, webhook)
    expect(created).toMatchObject({ ...webhook, enabled: true })
    expect(secret).toMatch(/^whsec_/)
    expect((await call("webhooks.list", project)).webhooks).toEqual([created])
    expect(await call("webhooks.get", project, created.id)).toEqual(created)
    expect(await call("webhooks.update", project, created.id, { enabled: false })).toMatchObject({
      enabled: false,
    })
    const [deliveryId] = await errata.run(
      Effect.flatMap(DeliveryStore, (deliveries) =>
        deliveries.insert(
          [
            {
              projectId: errata.mine.id,
              targetId: WebhookId.make(created.id),
              groupId: null,
              event: "group.created",
              ruleId: null,
              userId: null,
              recipient: null,
              resendOf: null,
              requestBody: "{}",
              heldBack: null,
            },
          ],
          DateTime.makeUnsafe(0),
        ),
      ),
    )
    const delivery = await call("deliveries.get", project, created.id, deliveryId)
    expect(delivery).toMatchObject({ id: deliveryId, status: "pending", success: false })
    expect(
      (await call("deliveries.list", project, created.id, { event: "group.created", success: false }))
        .deliveries,
    ).toEqual([delivery])
    expect((await call("deliveries.list", project, created.id, { success: true })).deliveries).toEqual([])
    const stopDispatching = Dispatching.start(errata, { allowPrivateAddresses: false })
    // Private addresses are not allowed, so both deliveries fail immediately.
    const tested = await call("webhooks.test", project, created.id)
    expect(tested).toMatchObject({ event: "webhook.test", status: "failed", attempts: 1 })
    const resent = await call("deliveries.resend", project, created.id, tested.id)
    expect(resent).toMatchObject({ event: "webhook.test", status: "failed", attempts: 1 })
    await stopDispatching()
    await call("webhooks.remove", project, created.id)
    expect((await call("webhooks.list", project)).webhooks).toEqual([])
  })

  it("apps", async () => {
    const created = await call("apps.create", { name: "shop", project_ids: [project] })
    expect(created).toMatchObject({ name: "shop", project_ids: [project] })
    expect((await call("apps.list")).apps).toEqual([created])
    expect(await call("apps.get", created.id)).toEqual(created)
    expect(await call("apps.update", created.id, { project_ids: [] })).toMatchObject({ project_ids: [] })
    await call("apps.remove", created.id)
    expect((await call("apps.list")).apps).toEqual([])
  })

  it("policies", async () => {
    for (const [policy, change] of [
      ["IngestProtection", { global_rate_limit_per_minute: 5_000 }],
      ["ErrorRetention", { time_purge_type: "full" }],
      ["ArtifactRetention", { max_releases_kept: 3 }],
      ["HostedSourcemaps", { enabled: false }],
    ] as const) {
      const before = await call(`policies.get${policy}`)
      expect(await call(`policies.update${policy}`, change)).toEqual({ ...before, ...change })
    }
  })

  it("retention", async () => {
    const policy = await call("policies.updateErrorRetention", { enabled: true })
    const run = await call("retention.run")
    expect(await call("retention.get", run.id)).toMatchObject({ id: run.id })
    expect(ids((await call("retention.list", { limit: 1 })).runs)).toEqual([run.id])
    await call("policies.updateErrorRetention", { ...policy, enabled: false })
  })

  it("health and dead letters", async () => {
    expect(await call("health.details")).toHaveProperty("checks")
    expect((await call("deadLetters.list")).dead_letters).toEqual([])
    expect(await call("deadLetters.retryAll")).toEqual({ retried: 0 })
    for (const name of ["deadLetters.retry", "deadLetters.discard"]) {
      await expect(call(name, 1)).rejects.toThrow()
      called.add(name)
    }
  })

  it("targets and notifications", async () => {
    const { kinds, mail } = await call("targets.kinds")
    expect(kinds).toMatchObject([{ kind: "test", requires_base_url: false }])
    const target = { kind: "test", name: "chat", address: { url: "http://127.0.0.1:9/chat", channel: "#a" } }
    const created = await call("targets.create", project, target)
    expect(created).toMatchObject({ name: "chat", address: { channel: "#a" }, secret_fields: ["url"] })
    expect((await call("targets.all", project)).targets).toEqual([created])
    expect(await call("targets.get", project, created.id)).toEqual(created)
    expect(await call("targets.update", project, created.id, { name: "room" })).toMatchObject({
      name: "room",
    })
    const stopDispatching = Dispatching.start(errata)
    const { notifications } = await call("targets.test", project, created.id)
    await stopDispatching()
    expect(notifications).toMatchObject([{ status: "failed", target_name: "room" }])
    const query = { target_id: created.id, status: "failed", limit: 5 }
    expect((await call("notifications.list", project, query)).notifications).toEqual(notifications)
    await call("targets.remove", project, created.id)
    expect((await call("targets.all", project)).targets).toEqual([])
    expect(await call("mailSettings.get", project)).toEqual({
      mode: "new_and_reopened",
      digest: "never",
      mail,
    })
    const settings = { mode: "assigned", digest: "daily" }
    expect(await call("mailSettings.update", project, settings)).toEqual({ ...settings, mail })
    await errata.run(
      Effect.flatMap(MemberMailStore, (store) =>
        store.pause({ address: "gone@example.com", detail: "550", pausedAt: DateTime.makeUnsafe(0) }),
      ),
    )
    expect(await call("pausedAddresses.page", { limit: 5 })).toEqual({
      addresses: [{ address: "gone@example.com", detail: "550", paused_at: expect.anything() }],
      next: null,
    })
    await call("pausedAddresses.resume", "gone@example.com")
    expect((await call("pausedAddresses.page")).addresses).toEqual([])
  })

  it("rules", async () => {
    const rule = { name: "new", triggers: [{ type: "created" }] }
    for (const [group, args] of [
      ["alertRules", [project]],
      ["defaultAlertRules", []],
    ] as const) {
      const created = await call(`${group}.create`, ...args, rule)
      expect(created).toMatchObject({ ...rule, repeat_minutes: 60 })
      expect((await call(`${group}.all`, ...args)).alert_rules).toContainEqual(created)
      expect(await call(`${group}.get`, ...args, created.id)).toEqual(created)
      expect(await call(`${group}.update`, ...args, created.id, { enabled: false })).toMatchObject({
        enabled: false,
      })
      expect(await call(`${group}.remove`, ...args, created.id)).toBeUndefined()
    }
    expect((await call("alertRules.dryRun", project, rule)).matches.length).toBeGreaterThan(0)
  })

  it("cover every endpoint of the contract", () => {
    expect([...called].sort()).toEqual([...contract].sort())
  })
})

// internal

const attachmentEnvelope = (eventId: string, text: string): RequestInit => {
  const item = { type: "attachment", length: text.length, filename: "seen.log" }
  return {
    method: "POST",
    body: `${JSON.stringify({ event_id: eventId })}\n${JSON.stringify(item)}\n${text}\n`,
  }
}
