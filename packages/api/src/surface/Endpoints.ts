// biome-ignore-all format: generated
// Generated from the contract. To update it: npx vitest run packages/api/test/surface -u
import type { Bodies, Queries } from "./Types.js"

/** The routes of the contract, without its schemas. */
export const routes = {
  me: {
    get: ["GET", "/me", 200],
  },
  projects: {
    list: ["GET", "/projects", 200, "query"],
    create: ["POST", "/projects", 201, "body"],
    get: ["GET", "/projects/:project_id", 200],
    update: ["PATCH", "/projects/:project_id", 200, "body"],
    remove: ["DELETE", "/projects/:project_id", 204],
    access: ["GET", "/projects/:project_id/access", 200],
    rotateToken: ["POST", "/projects/:project_id/rotate_token", 200],
    mute: ["POST", "/projects/:project_id/mute", 204, "body"],
    unmute: ["DELETE", "/projects/:project_id/mute", 204],
    sendTestEvent: ["POST", "/projects/:project_id/test_event", 202],
    getNotificationSettings: ["GET", "/projects/:project_id/notification_settings", 200],
    updateNotificationSettings: ["PATCH", "/projects/:project_id/notification_settings", 200, "body"],
  },
  groups: {
    list: ["GET", "/projects/:project_id/groups", 200, "query"],
    listAll: ["GET", "/groups", 200, "query"],
    count: ["GET", "/projects/:project_id/groups/count", 200, "query"],
    get: ["GET", "/projects/:project_id/groups/:group_id", 200],
    remove: ["DELETE", "/projects/:project_id/groups/:group_id", 204],
    resolve: ["POST", "/projects/:project_id/groups/:group_id/resolve", 204, "body"],
    unresolve: ["DELETE", "/projects/:project_id/groups/:group_id/resolve", 204],
    mute: ["POST", "/projects/:project_id/groups/:group_id/mute", 204, "body"],
    unmute: ["DELETE", "/projects/:project_id/groups/:group_id/mute", 204],
    bulkResolve: ["POST", "/projects/:project_id/groups/:group_id/bulk_resolve", 200, "body"],
    bulkUnresolve: ["DELETE", "/projects/:project_id/groups/:group_id/bulk_resolve", 200, "body"],
    bulkMute: ["POST", "/projects/:project_id/groups/:group_id/bulk_mute", 200, "body"],
    bulkUnmute: ["DELETE", "/projects/:project_id/groups/:group_id/bulk_mute", 200, "body"],
    bulkMerge: ["POST", "/projects/:project_id/groups/:group_id/bulk_merge", 200, "body"],
    assign: ["PUT", "/projects/:project_id/groups/:group_id/assignee", 204, "body"],
    unassign: ["DELETE", "/projects/:project_id/groups/:group_id/assignee", 204],
    linkIssue: ["PUT", "/projects/:project_id/groups/:group_id/issue", 204, "body"],
    unlinkIssue: ["DELETE", "/projects/:project_id/groups/:group_id/issue", 204],
  },
  activity: {
    get: ["GET", "/projects/:project_id/activity", 200, "query"],
  },
  merges: {
    list: ["GET", "/projects/:project_id/groups/:group_id/merges", 200, "query"],
    undo: ["DELETE", "/projects/:project_id/groups/:group_id/merges/:merge_id", 204],
  },
  tags: {
    ofGroup: ["GET", "/projects/:project_id/groups/:group_id/tags", 200],
    valuesOfGroup: ["GET", "/projects/:project_id/groups/:group_id/tags/:key", 200, "query"],
    keys: ["GET", "/projects/:project_id/tags", 200],
    values: ["GET", "/projects/:project_id/tags/:key/values", 200, "query"],
  },
  releases: {
    list: ["GET", "/projects/:project_id/releases", 200, "query"],
    newest: ["GET", "/projects/:project_id/releases/newest", 200],
    get: ["GET", "/projects/:project_id/releases/:release_id", 200],
  },
  artifacts: {
    list: ["GET", "/projects/:project_id/artifact_bundles", 200, "query"],
    get: ["GET", "/projects/:project_id/artifact_bundles/:bundle_id", 200],
    remove: ["DELETE", "/projects/:project_id/artifact_bundles/:bundle_id", 204],
  },
  reports: {
    list: ["GET", "/projects/:project_id/groups/:group_id/reports", 200, "query"],
    get: ["GET", "/projects/:project_id/groups/:group_id/reports/:report_id", 200, "query"],
    latest: ["GET", "/projects/:project_id/groups/:group_id/reports/latest", 200, "query"],
    getAttachment: ["GET", "/projects/:project_id/groups/:group_id/reports/:report_id/attachments/:attachment_id", 200, "bytes"],
    retrySourcemaps: ["POST", "/projects/:project_id/groups/:group_id/reports/:report_id/sourcemap_retry", 202],
    findByEventId: ["GET", "/projects/:project_id/reports/:event_id", 200, "query"],
    findAnywhere: ["GET", "/reports/:event_id", 200, "query"],
  },
  notes: {
    list: ["GET", "/projects/:project_id/groups/:group_id/notes", 200, "query"],
    create: ["POST", "/projects/:project_id/groups/:group_id/notes", 201, "body"],
    remove: ["DELETE", "/projects/:project_id/groups/:group_id/notes/:note_id", 204],
  },
  assignees: {
    list: ["GET", "/projects/:project_id/assignees", 200, "query"],
  },
  people: {
    all: ["GET", "/people", 200],
  },
  members: {
    list: ["GET", "/projects/:project_id/users", 200, "query"],
    add: ["POST", "/projects/:project_id/users", 204, "body"],
    remove: ["DELETE", "/projects/:project_id/users/:user_id", 204],
  },
  sourcemapOrigins: {
    list: ["GET", "/projects/:project_id/hosted_sourcemap_origins", 200, "query"],
    create: ["POST", "/projects/:project_id/hosted_sourcemap_origins", 201, "body"],
    remove: ["DELETE", "/projects/:project_id/hosted_sourcemap_origins/:origin_id", 204],
  },
  webhooks: {
    list: ["GET", "/projects/:project_id/webhooks", 200, "query"],
    create: ["POST", "/projects/:project_id/webhooks", 201, "body"],
    get: ["GET", "/projects/:project_id/webhooks/:webhook_id", 200],
    update: ["PATCH", "/projects/:project_id/webhooks/:webhook_id", 200, "body"],
    remove: ["DELETE", "/projects/:project_id/webhooks/:webhook_id", 204],
    test: ["POST", "/projects/:project_id/webhooks/:webhook_id/test", 200],
  },
  deliveries: {
    list: ["GET", "/projects/:project_id/webhooks/:webhook_id/deliveries", 200, "query"],
    get: ["GET", "/projects/:project_id/webhooks/:webhook_id/deliveries/:delivery_id", 200],
    resend: ["POST", "/projects/:project_id/webhooks/:webhook_id/deliveries/:delivery_id/resend", 200],
  },
  targets: {
    kinds: ["GET", "/notification_kinds", 200],
    all: ["GET", "/projects/:project_id/targets", 200],
    create: ["POST", "/projects/:project_id/targets", 201, "body"],
    get: ["GET", "/projects/:project_id/targets/:target_id", 200],
    update: ["PATCH", "/projects/:project_id/targets/:target_id", 200, "body"],
    remove: ["DELETE", "/projects/:project_id/targets/:target_id", 204],
    test: ["POST", "/projects/:project_id/targets/:target_id/test", 200],
  },
  alertRules: {
    all: ["GET", "/projects/:project_id/alert_rules", 200],
    create: ["POST", "/projects/:project_id/alert_rules", 201, "body"],
    get: ["GET", "/projects/:project_id/alert_rules/:rule_id", 200],
    update: ["PATCH", "/projects/:project_id/alert_rules/:rule_id", 200, "body"],
    remove: ["DELETE", "/projects/:project_id/alert_rules/:rule_id", 204],
    dryRun: ["POST", "/projects/:project_id/alert_rules/dry_run", 200, "body"],
  },
  defaultAlertRules: {
    all: ["GET", "/alert_rules", 200],
    create: ["POST", "/alert_rules", 201, "body"],
    get: ["GET", "/alert_rules/:default_rule_id", 200],
    update: ["PATCH", "/alert_rules/:default_rule_id", 200, "body"],
    remove: ["DELETE", "/alert_rules/:default_rule_id", 204],
  },
  notifications: {
    list: ["GET", "/projects/:project_id/notifications", 200, "query"],
  },
  mailSettings: {
    get: ["GET", "/projects/:project_id/mail_settings", 200],
    update: ["PATCH", "/projects/:project_id/mail_settings", 200, "body"],
  },
  pausedAddresses: {
    page: ["GET", "/paused_addresses", 200, "query"],
    resume: ["DELETE", "/paused_addresses/:address", 204],
  },
  apps: {
    list: ["GET", "/apps", 200, "query"],
    create: ["POST", "/apps", 201, "body"],
    get: ["GET", "/apps/:app_id", 200],
    update: ["PATCH", "/apps/:app_id", 200, "body"],
    remove: ["DELETE", "/apps/:app_id", 204],
  },
  users: {
    list: ["GET", "/users", 200, "query"],
    create: ["POST", "/users", 201, "body"],
    createSignInLink: ["POST", "/users/:user_id/sign_in_link", 201],
    rotateApiKey: ["POST", "/users/:user_id/api_key", 201],
    get: ["GET", "/users/:user_id", 200],
    update: ["PATCH", "/users/:user_id", 200, "body"],
    deactivate: ["DELETE", "/users/:user_id", 204],
  },
  policies: {
    getIngestProtection: ["GET", "/data_retention/ingest_protection", 200],
    updateIngestProtection: ["PATCH", "/data_retention/ingest_protection", 200, "body"],
    getErrorRetention: ["GET", "/data_retention/errors", 200],
    updateErrorRetention: ["PATCH", "/data_retention/errors", 200, "body"],
    getArtifactRetention: ["GET", "/data_retention/artifacts", 200],
    updateArtifactRetention: ["PATCH", "/data_retention/artifacts", 200, "body"],
    getHostedSourcemaps: ["GET", "/data_retention/hosted_sourcemaps", 200],
    updateHostedSourcemaps: ["PATCH", "/data_retention/hosted_sourcemaps", 200, "body"],
  },
  retention: {
    list: ["GET", "/data_retention/runs", 200, "query"],
    run: ["POST", "/data_retention/runs", 202, "query"],
    get: ["GET", "/data_retention/runs/:run_id", 200],
  },
  deadLetters: {
    list: ["GET", "/dead_letters", 200, "query"],
    retryAll: ["POST", "/dead_letters/retry", 200],
    retry: ["POST", "/dead_letters/:dead_letter_id/retry", 204],
    discard: ["DELETE", "/dead_letters/:dead_letter_id", 204],
  },
  health: {
    details: ["GET", "/health/details", 200],
  },
} as const

/** The parameters of the calls; `Shorthands.ts` has the others. */
export interface Endpoints {
  readonly me: {
    /** Get the caller, the instance, and what the caller may do */
    readonly get: () => void
  }
  readonly projects: {
    /** List the projects that the caller may see, or find one by its exact name */
    readonly list: (query?: Queries["projects"]["list"]) => void
    /** Create a project (admin) */
    readonly create: (body: Bodies["projects"]["create"]) => void
    /** Get a project */
    readonly get: (projectId: number) => void
    /** Change the name, platform or time zone of a project (admin) */
    readonly update: (projectId: number, body: Bodies["projects"]["update"]) => void
    /** Delete a project and all its data (admin) */
    readonly remove: (projectId: number) => void
    /** Get what the caller may do in a project */
    readonly access: (projectId: number) => void
    /** Replace the key in the DSN of a project. The previous key stops working (admin) */
    readonly rotateToken: (projectId: number) => void
    /** Mute all existing and new groups of a project (admin) */
    readonly mute: (projectId: number, body?: Bodies["projects"]["mute"]) => void
    /** Stop muting new groups of a project. Muted groups stay muted (admin) */
    readonly unmute: (projectId: number) => void
    /** Send an example event to a project, within its rate limits */
    readonly sendTestEvent: (projectId: number) => void
    /** Get which groups of a project send webhooks: all, or only those of severity error and fatal (admin) */
    readonly getNotificationSettings: (projectId: number) => void
    /** Change which groups of a project send webhooks (admin) */
    readonly updateNotificationSettings: (projectId: number, body: Bodies["projects"]["updateNotificationSettings"]) => void
  }
  readonly groups: {
    /** List, filter and search the groups of a project */
    readonly list: (projectId: number, query?: Queries["groups"]["list"]) => void
    /** List, filter and search the groups of all your projects */
    readonly listAll: (query?: Queries["groups"]["listAll"]) => void
    /** Count the groups of a project that match, up to 1,000 */
    readonly count: (projectId: number, query?: Queries["groups"]["count"]) => void
    /** Get a group and its grouping */
    readonly get: (projectId: number, groupId: number) => void
    /** Delete a group, its merged groups and their reports (admin) */
    readonly remove: (projectId: number, groupId: number) => void
    /** Resolve a group, also in a release that has the fix */
    readonly resolve: (projectId: number, groupId: number, body?: Bodies["groups"]["resolve"]) => void
    /** Reopen a group */
    readonly unresolve: (projectId: number, groupId: number) => void
    /** Mute a group without limit, for a number of reports, until a time, or until the next release */
    readonly mute: (projectId: number, groupId: number, body?: Bodies["groups"]["mute"]) => void
    /** Unmute a group */
    readonly unmute: (projectId: number, groupId: number) => void
    /** Remove the assignee of a group */
    readonly unassign: (projectId: number, groupId: number) => void
    /** Remove the link to an issue from a group */
    readonly unlinkIssue: (projectId: number, groupId: number) => void
  }
  readonly activity: {
    /** Count the reports of a project, or of groups, by hour or day */
    readonly get: (projectId: number, query?: Queries["activity"]["get"]) => void
  }
  readonly merges: {
    /** List the merges of a group */
    readonly list: (projectId: number, groupId: number, query?: Queries["merges"]["list"]) => void
    /** Undo a merge: its source becomes a separate group again */
    readonly undo: (projectId: number, groupId: number, mergeId: number) => void
  }
  readonly tags: {
    /** Count the tags of a group, each with its most frequent values */
    readonly ofGroup: (projectId: number, groupId: number) => void
    /** List the values of a tag of a group */
    readonly valuesOfGroup: (projectId: number, groupId: number, key: string, query?: Queries["tags"]["valuesOfGroup"]) => void
    /** List the tag keys of a project */
    readonly keys: (projectId: number) => void
    /** Complete a tag value from the project's most recent groups */
    readonly values: (projectId: number, key: string, query?: Queries["tags"]["values"]) => void
  }
  readonly releases: {
    /** List the releases of a project and their report counts */
    readonly list: (projectId: number, query?: Queries["releases"]["list"]) => void
    /** List the open ones of the newest 50 releases, without counts */
    readonly newest: (projectId: number) => void
    /** Get a release */
    readonly get: (projectId: number, releaseId: number) => void
  }
  readonly artifacts: {
    /** List the uploads of build tools, including failed ones */
    readonly list: (projectId: number, query?: Queries["artifacts"]["list"]) => void
    /** Get an upload and its files */
    readonly get: (projectId: number, bundleId: number) => void
    /** Delete an upload and its files. Reports that it mapped stay mapped (admin) */
    readonly remove: (projectId: number, bundleId: number) => void
  }
  readonly reports: {
    /** List the reports of a group */
    readonly list: (projectId: number, groupId: number, query?: Queries["reports"]["list"]) => void
    /** Get a report and all its data */
    readonly get: (projectId: number, groupId: number, reportId: number, query?: Queries["reports"]["get"]) => void
    /** Get the newest report of a group */
    readonly latest: (projectId: number, groupId: number, query?: Queries["reports"]["latest"]) => void
    /** Download an attachment of a report */
    readonly getAttachment: (projectId: number, groupId: number, reportId: number, attachmentId: number) => void
    /** Map the frames of a report with source maps again (admin) */
    readonly retrySourcemaps: (projectId: number, groupId: number, reportId: number) => void
    /** Find a report by its event id */
    readonly findByEventId: (projectId: number, eventId: string, query?: Queries["reports"]["findByEventId"]) => void
    /** Find a report by its event id in all projects of the caller */
    readonly findAnywhere: (eventId: string, query?: Queries["reports"]["findAnywhere"]) => void
  }
  readonly notes: {
    /** List the notes on a group */
    readonly list: (projectId: number, groupId: number, query?: Queries["notes"]["list"]) => void
    /** Write a note on a group */
    readonly create: (projectId: number, groupId: number, body: Bodies["notes"]["create"]) => void
    /** Delete a note (author or admin) */
    readonly remove: (projectId: number, groupId: number, noteId: number) => void
  }
  readonly assignees: {
    /** List the possible assignees of groups in a project */
    readonly list: (projectId: number, query?: Queries["assignees"]["list"]) => void
  }
  readonly people: {
    /** Get the ids and names of all who share a project with the caller */
    readonly all: () => void
  }
  readonly members: {
    /** List the users with access to a project (admin) */
    readonly list: (projectId: number, query?: Queries["members"]["list"]) => void
    /** Remove a user from a project (admin) */
    readonly remove: (projectId: number, userId: number) => void
  }
  readonly sourcemapOrigins: {
    /** List the origins that Errata may fetch source maps from (admin) */
    readonly list: (projectId: number, query?: Queries["sourcemapOrigins"]["list"]) => void
    /** Authorize a public HTTPS origin for source maps (admin) */
    readonly create: (projectId: number, body: Bodies["sourcemapOrigins"]["create"]) => void
    /** Remove an origin and the source maps fetched from it (admin) */
    readonly remove: (projectId: number, originId: number) => void
  }
  readonly webhooks: {
    /** List the webhooks of a project */
    readonly list: (projectId: number, query?: Queries["webhooks"]["list"]) => void
    /** Create a webhook. Only this response contains its secret (admin) */
    readonly create: (projectId: number, body: Bodies["webhooks"]["create"]) => void
    /** Get a webhook */
    readonly get: (projectId: number, webhookId: number) => void
    /** Change a webhook (admin) */
    readonly update: (projectId: number, webhookId: number, body: Bodies["webhooks"]["update"]) => void
    /** Delete a webhook and its deliveries (admin) */
    readonly remove: (projectId: number, webhookId: number) => void
    /** Send a test delivery once and return its result (admin) */
    readonly test: (projectId: number, webhookId: number) => void
  }
  readonly deliveries: {
    /** List the deliveries of a webhook */
    readonly list: (projectId: number, webhookId: number, query?: Queries["deliveries"]["list"]) => void
    /** Get a delivery */
    readonly get: (projectId: number, webhookId: number, deliveryId: number) => void
    /** Send a delivery again once, and return its result (admin) */
    readonly resend: (projectId: number, webhookId: number, deliveryId: number) => void
  }
  readonly targets: {
    /** List the kinds of targets that projects can have */
    readonly kinds: () => void
    /** List the targets of a project */
    readonly all: (projectId: number) => void
    /** Create a target. No response contains its secret fields (admin) */
    readonly create: (projectId: number, body: Bodies["targets"]["create"]) => void
    /** Get a target */
    readonly get: (projectId: number, targetId: number) => void
    /** Change a target (admin) */
    readonly update: (projectId: number, targetId: number, body: Bodies["targets"]["update"]) => void
    /** Delete a target and its notifications (admin) */
    readonly remove: (projectId: number, targetId: number) => void
    /** Send a test message once and return its result (admin) */
    readonly test: (projectId: number, targetId: number) => void
  }
  readonly alertRules: {
    /** List the rules of a project, or the default rules if it has none */
    readonly all: (projectId: number) => void
    /** Create a rule. The default rules then no longer apply to the project (admin) */
    readonly create: (projectId: number, body: Bodies["alertRules"]["create"]) => void
    /** Get a rule of a project */
    readonly get: (projectId: number, ruleId: number) => void
    /** Change a rule (admin) */
    readonly update: (projectId: number, ruleId: number, body: Bodies["alertRules"]["update"]) => void
    /** Delete a rule. Without rules of its own, a project has the default rules (admin) */
    readonly remove: (projectId: number, ruleId: number) => void
    /** Get the notifications that a rule would have caused in the last seven days */
    readonly dryRun: (projectId: number, body: Bodies["alertRules"]["dryRun"]) => void
  }
  readonly defaultAlertRules: {
    /** List the default rules, which apply to projects without rules (admin) */
    readonly all: () => void
    /** Create a default rule (admin) */
    readonly create: (body: Bodies["defaultAlertRules"]["create"]) => void
    /** Get a default rule (admin) */
    readonly get: (defaultRuleId: number) => void
    /** Change a default rule (admin) */
    readonly update: (defaultRuleId: number, body: Bodies["defaultAlertRules"]["update"]) => void
    /** Delete a default rule (admin) */
    readonly remove: (defaultRuleId: number) => void
  }
  readonly notifications: {
    /** List the notifications of a project: sent, held back and failed */
    readonly list: (projectId: number, query?: Queries["notifications"]["list"]) => void
  }
  readonly mailSettings: {
    /** Get the caller's settings for the mail of a project */
    readonly get: (projectId: number) => void
    /** Change the caller's settings for the mail of a project */
    readonly update: (projectId: number, body: Bodies["mailSettings"]["update"]) => void
  }
  readonly pausedAddresses: {
    /** List mail addresses that get no mail because it came back (admin) */
    readonly page: (query?: Queries["pausedAddresses"]["page"]) => void
    /** Let a mail address get mail again (admin) */
    readonly resume: (address: string) => void
  }
  readonly apps: {
    /** List the apps that contain a project that the caller may see */
    readonly list: (query?: Queries["apps"]["list"]) => void
    /** Create an app (admin) */
    readonly create: (body: Bodies["apps"]["create"]) => void
    /** Get an app that contains a project that the caller may see */
    readonly get: (appId: number) => void
    /** Rename an app or replace its projects (admin) */
    readonly update: (appId: number, body: Bodies["apps"]["update"]) => void
    /** Delete an app, but not its projects (admin) */
    readonly remove: (appId: number) => void
  }
  readonly users: {
    /** List the active users (admin) */
    readonly list: (query?: Queries["users"]["list"]) => void
    /** Create a user and a link for the first sign-in (admin) */
    readonly create: (body: Bodies["users"]["create"]) => void
    /** Create a sign-in link for a user. Earlier links stop working (admin) */
    readonly createSignInLink: (userId: number) => void
    /** Replace the API key of a user. The previous key stops working (admin) */
    readonly rotateApiKey: (userId: number) => void
    /** Get a user (admin) */
    readonly get: (userId: number) => void
    /** Change the role of a user (admin) */
    readonly update: (userId: number, body: Bodies["users"]["update"]) => void
    /** Deactivate a user. The API key, sessions and connected tools stop working at once (admin) */
    readonly deactivate: (userId: number) => void
  }
  readonly policies: {
    /** Get the ingest protection policy and its state (admin) */
    readonly getIngestProtection: () => void
    /** Change the ingest protection policy. Read-only fields are ignored (admin) */
    readonly updateIngestProtection: (body: Bodies["policies"]["updateIngestProtection"]) => void
    /** Get the error retention policy (admin) */
    readonly getErrorRetention: () => void
    /** Change the error retention policy (admin) */
    readonly updateErrorRetention: (body: Bodies["policies"]["updateErrorRetention"]) => void
    /** Get the artifact retention policy (admin) */
    readonly getArtifactRetention: () => void
    /** Change the artifact retention policy (admin) */
    readonly updateArtifactRetention: (body: Bodies["policies"]["updateArtifactRetention"]) => void
    /** Get the policy for hosted source maps (admin) */
    readonly getHostedSourcemaps: () => void
    /** Change the policy for hosted source maps (admin) */
    readonly updateHostedSourcemaps: (body: Bodies["policies"]["updateHostedSourcemaps"]) => void
  }
  readonly retention: {
    /** List retention runs (admin) */
    readonly list: (query?: Queries["retention"]["list"]) => void
    /** Start a retention run, or return the one that is already waiting or running (admin) */
    readonly run: (query?: Queries["retention"]["run"]) => void
    /** Get a retention run and its progress (admin) */
    readonly get: (runId: number) => void
  }
  readonly deadLetters: {
    /** List the dead letters, newest first (admin) */
    readonly list: (query?: Queries["deadLetters"]["list"]) => void
    /** Move all dead letters back into the queue (admin) */
    readonly retryAll: () => void
    /** Move a dead letter back into the queue (admin) */
    readonly retry: (deadLetterId: number) => void
    /** Delete a dead letter without recording it (admin) */
    readonly discard: (deadLetterId: number) => void
  }
  readonly health: {
    /** Get the health checks with the codes of those that fail (admin) */
    readonly details: () => void
  }
}
