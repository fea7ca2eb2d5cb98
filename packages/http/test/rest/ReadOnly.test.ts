/** The whole API for an actor with the grant `read` and without `write`. */

import { makeErrataApi } from "@errata/api"
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  type InstanceRule,
  type ProjectId,
  type ProjectRule,
  type Services,
  WebhookId,
} from "@errata/core"
import { ArtifactStore, DeliveryStore, RetentionStore } from "@errata/core/ports"
import { Context, DateTime, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebHandler } from "../../src/index.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"
import { httpTarget } from "../support/TestTarget.js"

const endpoints: Array<{ readonly name: string; readonly method: string; readonly path: string }> = []
HttpApi.reflect(makeErrataApi(), {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const { identifier, method, path } = endpoint
    endpoints.push({ name: `${group.identifier}.${identifier}`, method, path })
  },
})
const reading = endpoints.filter(({ method }) => method === "GET")
/** Their responses depend on the permissions of the caller, or on the time. */
const changeable = ["me.get", "projects.access", "activity.get", "health.details"]
/** A dry run has a body and changes nothing. */
const isDryRun = ({ name }: { readonly name: string }) => name === "alertRules.dryRun"
const changing = endpoints.filter((endpoint) => endpoint.method !== "GET" && !isDryRun(endpoint))

/** Reduces the grants of every caller to `read`. */
const readOnly = (access: AccessPolicy.AccessPolicy["Service"]): AccessPolicy.AccessPolicy["Service"] => {
  const narrowed = <A, E>(effect: Effect.Effect<A, E, CurrentActor>) =>
    Effect.updateService(effect, CurrentActor, (actor) =>
      actor._tag === "System" ? actor : Actor.Person({ user: actor.user, grants: ["read"] }),
    )
  return {
    ...access,
    instance: <Rule extends InstanceRule>(rule: Rule) => narrowed(access.instance(rule)),
    project: <Rule extends ProjectRule>(rule: Rule, id: ProjectId) => narrowed(access.project(rule, id)),
  }
}

describe("An actor with only the grant to read", () => {
  let errata: TestInstance
  let narrow: ReturnType<typeof WebHandler.fromLayer>
  let ids: Readonly<Record<string, number | string>>

  beforeAll(async () => {
    errata = await start({ transport: "web", targets: [httpTarget] })
    const context = await errata.run(Effect.context<Services.Services>())
    const access = readOnly(Context.get(context, AccessPolicy.AccessPolicy))
    narrow = WebHandler.fromLayer(
      Layer.succeedContext(Context.add(context, AccessPolicy.AccessPolicy, access)),
    )
    ids = await given()
  })
  afterAll(async () => {
    await narrow.dispose()
    await errata.stop()
  })

  /** One resource of each kind. */
  const given = async () => {
    const project = `/projects/${errata.mine.id}`
    const {
      event_id,
      group_id,
      id: report_id,
    } = await errata.report({
      message: "read",
      release: "shop@1",
      tags: { area: "cart" },
    })
    const release_id = (await errata.api(`${project}/releases`)).json.releases[0].id as number
    const create = async (path: string, body: unknown) => {
      const answer = await errata.api(path, { method: "POST", body })
      expect(answer.status).toBe(201)
      return answer.json.id as number
    }
    const other = await errata.report({ message: "merged", fingerprint: ["merged"] })
    const group = `${project}/groups/${group_id}`
    await errata.api(`${group}/bulk_merge`, { method: "POST", body: { group_ids: [other.group_id] } })
    const { merges } = (await errata.api(`${group}/merges`)).json
    const url = "https://hooks.example.com"
    const webhook_id = await create(`${project}/webhooks`, { url, events: ["group.created"] })
    const rule = { name: "rule", triggers: [{ type: "created" }] }
    const delivery = {
      projectId: errata.mine.id,
      targetId: WebhookId.make(webhook_id),
      groupId: null,
      event: "group.created",
      ruleId: null,
      userId: null,
      recipient: null,
      resendOf: null,
      requestBody: "{}",
      heldBack: null,
    } as const
    const [delivery_id] = await errata.run(
      Effect.flatMap(DeliveryStore, (deliveries) => deliveries.insert([delivery], DateTime.makeUnsafe(0))),
    )
    const run = await errata.run(
      Effect.flatMap(RetentionStore, (store) => store.request("errors", "requested", null)),
    )
    const bundle_id = await errata.run(
      Effect.flatMap(ArtifactStore, (store) =>
        store.insert(
          {
            projectId: errata.mine.id,
            kind: "bundle",
            checksum: "0".repeat(40),
            size: 0,
            name: null,
            note: null,
            detail: null,
            uploadedBy: null,
            files: [],
          },
          DateTime.makeUnsafe(0),
        ),
      ),
    )
    return {
      run_id: run.id,
      release_id,
      bundle_id,
      project_id: errata.mine.id,
      group_id,
      report_id,
      event_id,
      merge_id: merges[0].id,
      // No report here has an attachment: 404 for every permitted caller.
      attachment_id: 1,
      note_id: await create(`${project}/groups/${group_id}/notes`, { content: "a note" }),
      webhook_id,
      delivery_id: delivery_id!,
      target_id: await create(`${project}/targets`, {
        kind: "test",
        name: "target",
        address: { url: "https://hooks.example.com" },
      }),
      rule_id: await create(`${project}/alert_rules`, rule),
      default_rule_id: await create("/alert_rules", rule),
      address: "ann@example.com",
      origin_id: await create(`${project}/hosted_sourcemap_origins`, { origin: "https://a.example.com" }),
      app_id: await create("/apps", { name: "app", project_ids: [errata.mine.id] }),
      user_id: errata.memberId,
      key: "area",
      // No dead letter exists.
      dead_letter_id: 1,
    }
  }

  const pathOf = (template: string) =>
    template.replace(/:(\w+)/g, (_, name: string) => {
      const id = ids[name]
      if (id === undefined) throw new Error(`no ${name} is given`)
      return String(id)
    })

  const headers = (key: string) => ({ authorization: `Bearer ${key}` })

  const narrowly = async (key: string, method: string, template: string) => {
    const url = errata.url + pathOf(template)
    const answer = await narrow.handler(new Request(url, { method, headers: headers(key) }))
    return { status: answer.status, text: await answer.text() }
  }

  const fully = async (key: string, template: string) => {
    const { status, text } = await errata.fetch(pathOf(template), {
      headers: headers(key),
    })
    return { status, text }
  }

  const users = [
    ["an admin", adminKey],
    ["a member", memberKey],
  ] as const

  it.each(users)("reads everything that %s can read", async (_, key) => {
    for (const { name, path } of reading) {
      const answer = await narrowly(key, "GET", path)
      if (!changeable.includes(name)) expect([name, answer]).toEqual([name, await fully(key, path)])
      if (key === adminKey) {
        expect([name, answer.status]).toEqual([name, name === "reports.getAttachment" ? 404 : 200])
      }
    }
  })

  it.each(users)("runs rules dry as %s", async (_, key) => {
    const answer = await narrow.handler(
      new Request(`${errata.url}/api/service/v1/projects/${errata.mine.id}/alert_rules/dry_run`, {
        method: "POST",
        headers: { ...headers(key), "content-type": "application/json" },
        body: JSON.stringify({ name: "rule", triggers: [{ type: "created" }] }),
      }),
    )
    expect([answer.status, await answer.json()]).toMatchObject([200, { count: 1 }])
  })

  it.each(users)("changes nothing of what %s can change", async (_, key) => {
    const everything = () =>
      Promise.all(
        reading.filter(({ name }) => !changeable.includes(name)).map(({ path }) => fully(adminKey, path)),
      )
    const before = await everything()
    expect(changing.length).toBeGreaterThan(0)
    for (const { method, name, path } of changing) {
      expect([name, (await narrowly(key, method, path)).status]).toEqual([name, 403])
    }
    expect(await everything()).toEqual(before)
  })
})
