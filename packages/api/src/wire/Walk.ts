/** A project with one resource of each kind, for cases that call every route. */
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Ids, Route } from "./Routes.js"
import { pathOf } from "./Routes.js"
import { type Person, type Wire, word } from "./Wire.js"
import type { Answer, WireClient } from "./WireClient.js"

export interface Ground {
  readonly project: Json
  readonly ids: Ids
}

export const prepare = async (wire: Wire, members: ReadonlyArray<Person>): Promise<Ground> => {
  const { admin, member } = wire
  const project = await Given.project(wire, members)
  const key = word("walked_")
  const event = Given.failure({ release: "walked@1", tags: { [key]: "yes" } })
  const report = await Given.report(wire, project, event, [
    { filename: "walked.log", type: "text/plain", body: Buffer.from("walked") },
  ])
  const group = `${project.path}/groups/${report.group_id}`
  const { group_id: source } = await Given.report(wire, project, Given.failure())
  await admin.post(`${group}/bulk_merge`, { group_ids: [source] }, 200)
  const [merge] = (await admin.get(`${group}/merges`)).merges
  const note = await admin.post(`${group}/notes`, { content: "a note" }, 201)
  // A port without a server, and an address that needs no DNS.
  const hook = { url: "http://127.0.0.1:9/hook", events: ["group.created"] }
  const webhook = await admin.post(`${project.path}/webhooks`, hook, 201)
  const delivery = await admin.post(`${project.path}/webhooks/${webhook.id}/test`, undefined, 200)
  const { kind } = wire.target.receiver
  const address = { [wire.target.receiver.field]: "http://127.0.0.1:9/walked" }
  const target = await admin.post(`${project.path}/targets`, { kind, name: "walked", address }, 201)
  const rule = { name: "walked", triggers: [{ type: "noted" }], enabled: false }
  const { id: rule_id } = await admin.post(`${project.path}/alert_rules`, rule, 201)
  const origin = { origin: `https://${word()}.example.com` }
  const origins = `${project.path}/hosted_sourcemap_origins`
  const bundle = await Given.artifact(wire, project, { name: "~/walked.js", content: "f()" })
  const run = await Given.retentionRun(wire)
  const app = await admin.post("/apps", { name: word("app "), project_ids: [project.id] }, 201)
  return {
    project,
    ids: {
      project_id: project.id,
      group_id: report.group_id,
      report_id: report.id,
      attachment_id: report.attachments[0].id,
      event_id: report.event_id,
      key,
      merge_id: merge.id,
      note_id: note.id,
      webhook_id: webhook.id,
      delivery_id: delivery.id,
      origin_id: (await admin.post(origins, origin, 201)).id,
      kind,
      field: wire.target.receiver.field,
      target_id: target.id,
      rule_id,
      default_rule_id: await defaultRule(wire, rule),
      // No delivery is paused for this address.
      address: "walked@example.com",
      app_id: app.id,
      run_id: run.id,
      release_id: report.release.id,
      bundle_id: bundle.id,
      user_id: member.id,
      // No dead letter exists.
      dead_letter_id: 1,
    },
  }
}

/** Calls a route with a valid body. */
export const take = (client: WireClient, { body, method, template }: Route, ids: Ids): Promise<Answer> =>
  client.send(method, pathOf(template, ids), body === undefined ? {} : { body: body(ids) })

/** The project as an admin sees it, to detect changes. */
export const seen = async ({ admin }: Wire, { ids, project }: Ground): Promise<Json> => {
  const { path } = project
  const group = `${path}/groups/${ids["group_id"]}`
  const paths = [
    ...[path, `${path}/notification_settings`, `${path}/hosted_sourcemap_origins`, `${path}/users`],
    `${path}/artifact_bundles`,
    ...[
      `${path}/webhooks`,
      `${path}/targets`,
      `${path}/alert_rules`,
      group,
      `${group}/merges`,
      `${group}/notes`,
      `${group}/reports`,
      `/users/${ids["user_id"]}`,
    ],
    ...["/data_retention/errors", "/data_retention/artifacts", "/data_retention/hosted_sourcemaps"],
  ]
  const found: Record<string, Json> = {}
  for (const path of paths) found[path] = await admin.get(path)
  // It is written asynchronously, after the call.
  delete found[project.path].last_contact_at
  const { apps } = await admin.get("/apps", { limit: 100 })
  return { ...found, app: apps.find(({ id }: Json) => id === ids["app_id"]) }
}

// internal

/** Created once and shared by all cases, since the number of rules is limited. */
const defaultRule = async ({ admin }: Wire, rule: Json): Promise<number> => {
  const { alert_rules } = await admin.get("/alert_rules")
  const found = alert_rules.find(({ name }: Json) => name === rule.name)
  return (found ?? (await admin.post("/alert_rules", rule, 201))).id
}
