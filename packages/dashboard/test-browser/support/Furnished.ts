/** An instance with something on each of its pages. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as RealData from "../../../cli/test/data/support/RealData.js"
import type { Group, Project } from "../../../cli/test/support/Rest.js"
import { uploadFile, uploadNoBundle } from "../../../cli/test/support/Uploads.js"
import * as MailServer from "./MailServer.js"
import { Site } from "./Site.js"

export interface Furnished {
  readonly site: Site
  readonly project: Project
  /** A project without anything. */
  readonly silent: Project
  /** It has notes, tags, a merge and a link to an issue. */
  readonly group: Group
  readonly webhookId: number
  readonly deliveryId: number
  readonly ruleId: number
  /** A target that works. */
  readonly targetId: number
  /** An address that the mail server refused. */
  readonly pausedAddress: string
  readonly stop: () => Promise<void>
}

export const furnish = async (): Promise<Furnished> => {
  const receiver = await receive()
  const mailServer = await MailServer.start()
  const site = await Site.startAddressed({
    ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
    ERRATA_RECORDER_EVENT_PATIENCE: "0 millis",
    ERRATA_SMTP_URL: mailServer.url,
    ERRATA_MAIL_FROM: "errata@example.com",
  })
  const own = RealData.allEvents().filter(({ name }) => name.split("/").length === 2)
  const events = own.map(({ data }) => ({ ...data, release: "shop@1.4.0" }))
  const project = await site.project("shop", events)
  const silent = await site.project("silent")
  const group = await furnishGroups(site, project)
  const member = await site.invite("member", [project])
  await site.api(`/projects/${project.id}/groups/${group.id}/assignee`, "PUT", { user_id: member.id })
  const webhooks = `/projects/${project.id}/webhooks`
  const { id: webhookId } = await site.api<Named>(webhooks, "POST", {
    url: receiver.url,
    events: ["group.created"],
  })
  await site.api(`${webhooks}/${webhookId}/test`, "POST")
  const alerts = await furnishAlerts(site, project, receiver.url)
  receiver.status = 410
  const { id: deliveryId } = await site.api<Named>(`${webhooks}/${webhookId}/test`, "POST")
  const file = { release: "shop@1.4.0", name: "~/app.js", content: "let a" }
  await Effect.runPromise(uploadFile(site.server, project, file))
  await Effect.runPromise(uploadNoBundle(site.server, project))
  const origins = `/projects/${project.id}/hosted_sourcemap_origins`
  await site.api(origins, "POST", { origin: "https://cdn.example.com" })
  await site.api("/apps", "POST", { name: "The shop", project_ids: [project.id] })
  await site.api("/data_retention/errors", "PATCH", { enabled: true })
  await site.api("/data_retention/runs", "POST", { kind: "errors" })
  await site.addDeadLetter(project)
  const stop = async () => {
    receiver.stop()
    await site.stop()
    mailServer.stop()
  }
  return { site, project, silent, group, webhookId, deliveryId, ...alerts, stop }
}

// internal

interface Named {
  readonly id: number
}

/** A receiver of webhooks. */
const receive = async () => {
  const receiver = { url: "", status: 204, stop: () => server.close().closeAllConnections() }
  const server = createServer((_, response) => response.writeHead(receiver.status).end())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** A rule, and two targets with notifications. */
const furnishAlerts = async (site: Site, project: Project, url: string) => {
  const path = `/projects/${project.id}`
  const { id: targetId } = await site.api<Named>(`${path}/targets`, "POST", {
    kind: "ntfy",
    name: "Phones",
    address: { url },
    quiet_hours: { from: "22:00", to: "07:00", timezone: "Europe/Vienna" },
  })
  const { id: mailId } = await site.api<Named>(`${path}/targets`, "POST", {
    kind: "mail",
    name: "On call",
    address: { to: `team@example.com, ${MailServer.unknownAddress}` },
  })
  for (const id of [targetId, mailId]) await site.api(`${path}/targets/${id}/test`, "POST")
  const { id: ruleId } = await site.api<Named>(`${path}/alert_rules`, "POST", {
    name: "Many users",
    triggers: [{ type: "created" }, { type: "users", count: 1 }],
    filter: { query: "is:unresolved", environments: ["production"] },
    receivers: { members: true, targets: [targetId] },
  })
  return { ruleId, targetId, pausedAddress: MailServer.unknownAddress }
}

const furnishGroups = async (site: Site, project: Project): Promise<Group> => {
  const groups = await site.groups(project)
  const group = groups.find(({ error_type }) => error_type === "TypeError") ?? groups[0]!
  const [merged, muted, resolved] = groups.filter(({ id }) => id !== group.id)
  const path = `/projects/${project.id}/groups`
  await site.api(`${path}/${group.id}/bulk_merge`, "POST", { group_ids: [merged!.id] })
  await site.api(`${path}/${group.id}/notes`, "POST", { content: "See https://example.com/1" })
  await site.api(`${path}/${group.id}/issue`, "PUT", { url: "https://example.com/1" })
  await site.api(`${path}/${muted!.id}/mute`, "POST", {})
  await site.api(`${path}/${resolved!.id}/resolve`, "POST")
  return group
}
