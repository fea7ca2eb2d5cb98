/** A call of every endpoint of the contract; one that is missing does not compile. */
import type { EndpointName, GroupName } from "../../src/internal/Contract.js"
import type { Arguments } from "../../src/surface/Surface.js"

type Examples = {
  readonly [G in GroupName]: { readonly [E in EndpointName<G>]: Required<Arguments<G, E>> }
}

const page = { limit: 7, cursor: 99 }

export const calls: Examples = {
  projects: {
    list: [{ name: "a b&c=d/é", ...page }],
    create: [{ name: "web", platform: "node", timezone: "Europe/Vienna" }],
    get: [1],
    update: [1, { timezone: "UTC" }],
    remove: [1],
    mute: [1, { snooze_until: "2030-01-02T03:04:05Z" }],
    unmute: [1],
    getNotificationSettings: [1],
    updateNotificationSettings: [1, { error_and_fatal_notifications_only: true }],
  },
  groups: {
    list: [
      1,
      {
        query: 'is:unresolved "a phrase" 100%+',
        status: "muted",
        resolved: "false",
        since: "2026-01-02",
        until: "2026-01-03T00:00:00Z",
        sort: "reports_count",
        ...page,
      },
    ],
    listAll: [{ query: "äöü", sort: "last_seen", ...page, project_ids: [1, 2] }],
    count: [1, { query: "is:muted a&b", since: "24h" }],
    get: [1, 2],
    resolve: [1, 2],
    unresolve: [1, 2],
    mute: [1, 2, { occurrences: 5 }],
    unmute: [1, 2],
    bulkResolve: [1, [2, 3], 4],
    bulkUnresolve: [1, [2, 3], 4],
    bulkMute: [1, [2, 3], 4],
    bulkUnmute: [1, [2, 3], 4],
    bulkMerge: [1, 2, [3, 4]],
    assign: [1, 2, 3],
    unassign: [1, 2],
  },
  activity: { get: [1, { since: "48h", until: "2026-01-03", step: "day", group_ids: [2, 3] }] },
  merges: { list: [1, 2, page], undo: [1, 2, 3] },
  tags: {
    ofGroup: [1, 2],
    valuesOfGroup: [1, 2, "odd/key äöü", page],
    keys: [1],
    values: [1, "odd/key äöü", { prefix: "a b&c", limit: 5 }],
  },
  releases: { list: [1, { version: "shop@1.4.0 äöü", ...page }], get: [1, 2] },
  artifacts: { list: [1, page], get: [1, 2], remove: [1, 2] },
  reports: {
    list: [1, 2, { since: "2026-01-02", until: "2026-01-03", ...page }],
    get: [1, 2, 3, { frames: "raw" }],
    getAttachment: [1, 2, 3, 4],
    retrySourcemaps: [1, 2, 3],
    findByEventId: [1, "0123456789abcdef0123456789ABCDEF", { frames: "resolved" }],
  },
  notes: {
    list: [1, 2, page],
    create: [1, 2, { content: "Seen äöü\n" }],
    remove: [1, 2, 3],
  },
  assignees: { list: [1, page] },
  members: { list: [1, page], add: [1, 5], remove: [1, 5] },
  sourcemapOrigins: {
    list: [1, page],
    create: [1, { origin: "https://cdn.example.com" }],
    remove: [1, 6],
  },
  webhooks: {
    list: [1, page],
    get: [1, 7],
    create: [1, { url: "https://example.com/hook", events: ["group.created"], enabled: false }],
    update: [1, 7, { enabled: true }],
    remove: [1, 7],
    test: [1, 7],
  },
  deliveries: {
    list: [1, 7, { event: "group.created", success: false, ...page }],
    get: [1, 7, 8],
    resend: [1, 7, 8],
  },
  apps: {
    list: [page],
    get: [9],
    create: [{ name: "shop", project_ids: [1, 2] }],
    update: [9, { project_ids: [] }],
    remove: [9],
  },
  users: {
    list: [page],
    create: [{ email_address: "someone@example.com", name: "Someone", role: "member" }],
    createSignInLink: [5],
    rotateApiKey: [5],
    get: [5],
    update: [5, { role: "admin" }],
    deactivate: [5],
  },
  policies: {
    getIngestProtection: [],
    updateIngestProtection: [{ enabled: false, global_rate_limit_per_minute: 10 }],
    getErrorRetention: [],
    updateErrorRetention: [{ time_purge_type: "full" }],
    getArtifactRetention: [],
    updateArtifactRetention: [{ purge_on_new_release: true }],
    getHostedSourcemaps: [],
    updateHostedSourcemaps: [{ enabled: true }],
  },
  retention: { list: [page], get: [1], run: [{ kind: "artifacts" }] },
  deadLetters: { list: [page], retryAll: [], retry: [5] },
  health: { details: [] },
}
