/** Where every endpoint is, and the status of its success: what is left of the contract without Effect. */
import type { EndpointName, GroupName, Method, Success } from "../internal/Contract.js"

type Route<G extends GroupName, E extends EndpointName<G>> = readonly [
  method: Method<G, E>,
  path: `/${string}`,
  status: Success<G, E> extends object ? 200 | 201 | 202 : 204,
  ...answer: Success<G, E> extends Uint8Array ? [answer: "bytes"] : [],
]

const group = "/projects/:project_id/groups/:group_id"
const webhook = "/projects/:project_id/webhooks/:webhook_id"

export const routes = {
  me: {
    get: ["GET", "/me", 200],
  },
  projects: {
    list: ["GET", "/projects", 200],
    create: ["POST", "/projects", 201],
    get: ["GET", "/projects/:project_id", 200],
    access: ["GET", "/projects/:project_id/access", 200],
    update: ["PATCH", "/projects/:project_id", 200],
    rotateToken: ["POST", "/projects/:project_id/rotate_token", 200],
    remove: ["DELETE", "/projects/:project_id", 204],
    mute: ["POST", "/projects/:project_id/mute", 204],
    unmute: ["DELETE", "/projects/:project_id/mute", 204],
    sendTestEvent: ["POST", "/projects/:project_id/test_event", 202],
    getNotificationSettings: ["GET", "/projects/:project_id/notification_settings", 200],
    updateNotificationSettings: ["PATCH", "/projects/:project_id/notification_settings", 200],
  },
  groups: {
    list: ["GET", "/projects/:project_id/groups", 200],
    listAll: ["GET", "/groups", 200],
    count: ["GET", "/projects/:project_id/groups/count", 200],
    get: ["GET", group, 200],
    remove: ["DELETE", group, 204],
    resolve: ["POST", `${group}/resolve`, 204],
    unresolve: ["DELETE", `${group}/resolve`, 204],
    mute: ["POST", `${group}/mute`, 204],
    unmute: ["DELETE", `${group}/mute`, 204],
    bulkResolve: ["POST", `${group}/bulk_resolve`, 200],
    bulkUnresolve: ["DELETE", `${group}/bulk_resolve`, 200],
    bulkMute: ["POST", `${group}/bulk_mute`, 200],
    bulkUnmute: ["DELETE", `${group}/bulk_mute`, 200],
    bulkMerge: ["POST", `${group}/bulk_merge`, 200],
    assign: ["PUT", `${group}/assignee`, 204],
    unassign: ["DELETE", `${group}/assignee`, 204],
    linkIssue: ["PUT", `${group}/issue`, 204],
    unlinkIssue: ["DELETE", `${group}/issue`, 204],
  },
  activity: {
    get: ["GET", "/projects/:project_id/activity", 200],
  },
  merges: {
    list: ["GET", `${group}/merges`, 200],
    undo: ["DELETE", `${group}/merges/:merge_id`, 204],
  },
  tags: {
    ofGroup: ["GET", `${group}/tags`, 200],
    valuesOfGroup: ["GET", `${group}/tags/:key`, 200],
    keys: ["GET", "/projects/:project_id/tags", 200],
    values: ["GET", "/projects/:project_id/tags/:key/values", 200],
  },
  releases: {
    list: ["GET", "/projects/:project_id/releases", 200],
    get: ["GET", "/projects/:project_id/releases/:release_id", 200],
  },
  artifacts: {
    list: ["GET", "/projects/:project_id/artifact_bundles", 200],
    get: ["GET", "/projects/:project_id/artifact_bundles/:bundle_id", 200],
    remove: ["DELETE", "/projects/:project_id/artifact_bundles/:bundle_id", 204],
  },
  reports: {
    list: ["GET", `${group}/reports`, 200],
    get: ["GET", `${group}/reports/:report_id`, 200],
    latest: ["GET", `${group}/reports/latest`, 200],
    getAttachment: ["GET", `${group}/reports/:report_id/attachments/:attachment_id`, 200, "bytes"],
    // 200 where nothing is left to be done.
    retrySourcemaps: ["POST", `${group}/reports/:report_id/sourcemap_retry`, 202],
    findByEventId: ["GET", "/projects/:project_id/reports/:event_id", 200],
    findAnywhere: ["GET", "/reports/:event_id", 200],
  },
  notes: {
    list: ["GET", `${group}/notes`, 200],
    create: ["POST", `${group}/notes`, 201],
    remove: ["DELETE", `${group}/notes/:note_id`, 204],
  },
  assignees: {
    list: ["GET", "/projects/:project_id/assignees", 200],
  },
  people: {
    all: ["GET", "/people", 200],
  },
  members: {
    list: ["GET", "/projects/:project_id/users", 200],
    add: ["POST", "/projects/:project_id/users", 204],
    remove: ["DELETE", "/projects/:project_id/users/:user_id", 204],
  },
  sourcemapOrigins: {
    list: ["GET", "/projects/:project_id/hosted_sourcemap_origins", 200],
    create: ["POST", "/projects/:project_id/hosted_sourcemap_origins", 201],
    remove: ["DELETE", "/projects/:project_id/hosted_sourcemap_origins/:origin_id", 204],
  },
  webhooks: {
    list: ["GET", "/projects/:project_id/webhooks", 200],
    get: ["GET", webhook, 200],
    create: ["POST", "/projects/:project_id/webhooks", 201],
    update: ["PATCH", webhook, 200],
    remove: ["DELETE", webhook, 204],
    test: ["POST", `${webhook}/test`, 200],
  },
  deliveries: {
    list: ["GET", `${webhook}/deliveries`, 200],
    get: ["GET", `${webhook}/deliveries/:delivery_id`, 200],
    resend: ["POST", `${webhook}/deliveries/:delivery_id/resend`, 200],
  },
  apps: {
    list: ["GET", "/apps", 200],
    get: ["GET", "/apps/:app_id", 200],
    create: ["POST", "/apps", 201],
    update: ["PATCH", "/apps/:app_id", 200],
    remove: ["DELETE", "/apps/:app_id", 204],
  },
  users: {
    list: ["GET", "/users", 200],
    create: ["POST", "/users", 201],
    createSignInLink: ["POST", "/users/:user_id/sign_in_link", 201],
    rotateApiKey: ["POST", "/users/:user_id/api_key", 201],
    get: ["GET", "/users/:user_id", 200],
    update: ["PATCH", "/users/:user_id", 200],
    deactivate: ["DELETE", "/users/:user_id", 204],
  },
  policies: {
    getIngestProtection: ["GET", "/data_retention/ingest_protection", 200],
    updateIngestProtection: ["PATCH", "/data_retention/ingest_protection", 200],
    getErrorRetention: ["GET", "/data_retention/errors", 200],
    updateErrorRetention: ["PATCH", "/data_retention/errors", 200],
    getArtifactRetention: ["GET", "/data_retention/artifacts", 200],
    updateArtifactRetention: ["PATCH", "/data_retention/artifacts", 200],
    getHostedSourcemaps: ["GET", "/data_retention/hosted_sourcemaps", 200],
    updateHostedSourcemaps: ["PATCH", "/data_retention/hosted_sourcemaps", 200],
  },
  retention: {
    list: ["GET", "/data_retention/runs", 200],
    get: ["GET", "/data_retention/runs/:run_id", 200],
    run: ["POST", "/data_retention/runs", 202],
  },
  deadLetters: {
    list: ["GET", "/dead_letters", 200],
    retryAll: ["POST", "/dead_letters/retry", 200],
    retry: ["POST", "/dead_letters/:dead_letter_id/retry", 204],
    discard: ["DELETE", "/dead_letters/:dead_letter_id", 204],
  },
  health: {
    details: ["GET", "/health/details", 200],
  },
} as const satisfies { readonly [G in GroupName]: { readonly [E in EndpointName<G>]: Route<G, E> } }
