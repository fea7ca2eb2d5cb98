/** Every route of the API, with its access rule and a valid body. */

/** A real thing of each kind, to be named in a path. */
export type Ids = Readonly<Record<string, number | string>>

export interface Route {
  readonly method: string
  readonly template: string
  /** `everyone` with an account, `members` of the project, `admins` only. */
  readonly access: "everyone" | "members" | "admins"
  /** A valid body, if the route reads one. */
  readonly body?: (ids: Ids) => Readonly<Record<string, unknown>>
  /** Set if it ignores bodies that are not JSON: it reads one key, which few requests have. */
  readonly isLenient?: true
}

const route = (line: string, access: Route["access"], body?: Route["body"]): Route => {
  const [method = "", template = ""] = line.split(" ")
  return { method, template, access, ...(body === undefined ? {} : { body }) }
}

let walked = 0

const nothing = () => ({})
const groupIds = ({ group_id }: Ids) => ({ group_ids: [group_id] })

const group = "/projects/{project_id}/groups/{group_id}"
const webhook = "/projects/{project_id}/webhooks/{webhook_id}"
const target = "/projects/{project_id}/targets/{target_id}"
const rules = "/projects/{project_id}/alert_rules"
const rule = () => ({ name: "walked", triggers: [{ type: "noted" }], enabled: false })
const origins = "/projects/{project_id}/hosted_sourcemap_origins"

export const routes: ReadonlyArray<Route> = [
  route("GET /me", "everyone"),
  route("GET /projects", "everyone"),
  route("POST /projects", "admins", () => ({ name: "walked" })),
  route("GET /projects/{project_id}", "members"),
  route("GET /projects/{project_id}/access", "members"),
  route("PATCH /projects/{project_id}", "admins", nothing),
  route("POST /projects/{project_id}/rotate_token", "admins"),
  route("DELETE /projects/{project_id}", "admins"),
  route("POST /projects/{project_id}/mute", "admins", nothing),
  route("DELETE /projects/{project_id}/mute", "admins"),
  route("POST /projects/{project_id}/test_event", "members"),
  route("GET /projects/{project_id}/notification_settings", "admins"),
  route("PATCH /projects/{project_id}/notification_settings", "admins", () => ({
    error_and_fatal_notifications_only: false,
  })),
  route(`GET ${origins}`, "admins"),
  route(`POST ${origins}`, "admins", () => ({ origin: "https://walked.example.com" })),
  route(`DELETE ${origins}/{origin_id}`, "admins"),
  route("GET /groups", "everyone"),
  route("GET /projects/{project_id}/groups", "members"),
  route("GET /projects/{project_id}/groups/count", "members"),
  route(`GET ${group}`, "members"),
  route(`DELETE ${group}`, "admins"),
  { ...route(`POST ${group}/resolve`, "members", nothing), isLenient: true },
  route(`DELETE ${group}/resolve`, "members"),
  route(`POST ${group}/mute`, "members", nothing),
  route(`DELETE ${group}/mute`, "members"),
  route(`POST ${group}/bulk_resolve`, "members", groupIds),
  route(`DELETE ${group}/bulk_resolve`, "members", groupIds),
  route(`POST ${group}/bulk_mute`, "members", groupIds),
  route(`DELETE ${group}/bulk_mute`, "members", groupIds),
  route(`POST ${group}/bulk_merge`, "members", () => ({ group_ids: [999_999_999_999] })),
  route("GET /projects/{project_id}/activity", "members"),
  route(`GET ${group}/tags`, "members"),
  route(`GET ${group}/tags/{key}`, "members"),
  route("GET /projects/{project_id}/tags", "members"),
  route("GET /projects/{project_id}/tags/{key}/values", "members"),
  route(`GET ${group}/merges`, "members"),
  route(`DELETE ${group}/merges/{merge_id}`, "members"),
  route(`PUT ${group}/assignee`, "members", ({ user_id }) => ({ user_id })),
  route(`DELETE ${group}/assignee`, "members"),
  route(`PUT ${group}/issue`, "members", () => ({ url: "https://issues.example.com/walked" })),
  route(`DELETE ${group}/issue`, "members"),
  route(`GET ${group}/notes`, "members"),
  route(`POST ${group}/notes`, "members", () => ({ content: "walked" })),
  route(`DELETE ${group}/notes/{note_id}`, "members"),
  route(`GET ${group}/reports`, "members"),
  route(`GET ${group}/reports/{report_id}`, "members"),
  route(`GET ${group}/reports/latest`, "members"),
  route(`GET ${group}/reports/{report_id}/attachments/{attachment_id}`, "members"),
  route(`POST ${group}/reports/{report_id}/sourcemap_retry`, "admins"),
  route("GET /projects/{project_id}/reports/{event_id}", "members"),
  route("GET /reports/{event_id}", "members"),
  route("GET /projects/{project_id}/releases", "members"),
  route("GET /projects/{project_id}/releases/newest", "members"),
  route("GET /projects/{project_id}/releases/{release_id}", "members"),
  route("GET /projects/{project_id}/artifact_bundles", "members"),
  route("GET /projects/{project_id}/artifact_bundles/{bundle_id}", "members"),
  route("DELETE /projects/{project_id}/artifact_bundles/{bundle_id}", "admins"),
  route("GET /users", "admins"),
  route("POST /users", "admins", () => ({ email_address: `walked${walked++}@example.com` })),
  route("GET /users/{user_id}", "admins"),
  route("POST /users/{user_id}/sign_in_link", "admins"),
  route("POST /users/{user_id}/api_key", "admins"),
  route("PATCH /users/{user_id}", "admins", () => ({ role: "member" })),
  route("DELETE /users/{user_id}", "admins"),
  route("GET /projects/{project_id}/assignees", "members"),
  route("GET /people", "everyone"),
  route("GET /projects/{project_id}/users", "admins"),
  route("POST /projects/{project_id}/users", "admins", ({ user_id }) => ({ user_id })),
  route("DELETE /projects/{project_id}/users/{user_id}", "admins"),
  route("GET /apps", "everyone"),
  route("POST /apps", "admins", () => ({ name: "walked" })),
  route("GET /apps/{app_id}", "members"),
  route("PATCH /apps/{app_id}", "admins", nothing),
  route("DELETE /apps/{app_id}", "admins"),
  route("GET /projects/{project_id}/webhooks", "members"),
  route("POST /projects/{project_id}/webhooks", "admins", () => ({
    url: "https://walked.example.com",
    events: ["group.created"],
  })),
  route(`GET ${webhook}`, "members"),
  route(`PATCH ${webhook}`, "admins", nothing),
  route(`DELETE ${webhook}`, "admins"),
  route(`GET ${webhook}/deliveries`, "members"),
  route(`GET ${webhook}/deliveries/{delivery_id}`, "members"),
  route(`POST ${webhook}/test`, "admins"),
  route(`POST ${webhook}/deliveries/{delivery_id}/resend`, "admins"),
  route("GET /notification_kinds", "everyone"),
  route("GET /projects/{project_id}/targets", "members"),
  route("POST /projects/{project_id}/targets", "admins", ({ field, kind }) => ({
    kind,
    name: "walked",
    address: { [String(field)]: "http://127.0.0.1:9/walked" },
  })),
  route(`GET ${target}`, "members"),
  route(`PATCH ${target}`, "admins", nothing),
  route(`DELETE ${target}`, "admins"),
  route(`POST ${target}/test`, "admins"),
  route(`GET ${rules}`, "members"),
  route(`POST ${rules}`, "admins", rule),
  route(`GET ${rules}/{rule_id}`, "members"),
  route(`PATCH ${rules}/{rule_id}`, "admins", nothing),
  route(`DELETE ${rules}/{rule_id}`, "admins"),
  route(`POST ${rules}/dry_run`, "members", rule),
  route("GET /alert_rules", "admins"),
  route("POST /alert_rules", "admins", rule),
  route("GET /alert_rules/{default_rule_id}", "admins"),
  route("PATCH /alert_rules/{default_rule_id}", "admins", nothing),
  route("DELETE /alert_rules/{default_rule_id}", "admins"),
  route("GET /projects/{project_id}/notifications", "members"),
  route("GET /projects/{project_id}/mail_settings", "members"),
  route("PATCH /projects/{project_id}/mail_settings", "members", nothing),
  route("GET /paused_addresses", "admins"),
  route("DELETE /paused_addresses/{address}", "admins"),
  ...["ingest_protection", "errors", "artifacts", "hosted_sourcemaps"].flatMap((policy) => [
    route(`GET /data_retention/${policy}`, "admins"),
    route(`PATCH /data_retention/${policy}`, "admins", nothing),
  ]),
  route("GET /data_retention/runs", "admins"),
  route("GET /data_retention/runs/{run_id}", "admins"),
  route("POST /data_retention/runs", "admins"),
  route("GET /health/details", "admins"),
  route("GET /dead_letters", "admins"),
  route("POST /dead_letters/retry", "admins"),
  route("POST /dead_letters/{dead_letter_id}/retry", "admins"),
  route("DELETE /dead_letters/{dead_letter_id}", "admins"),
]

/** The path of a template with these ids. */
export const pathOf = (template: string, ids: Ids): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`No ${name} for ${template}`)
    return String(id)
  })

/** The name of a route in the document and the specification. */
export const named = ({ method, template }: Pick<Route, "method" | "template">): string =>
  `${method} ${template}`
