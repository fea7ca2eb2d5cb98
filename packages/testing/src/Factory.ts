/** Entities and events with readable defaults; no two made here have an id, name, key or address in common. */
import type {
  ErrorEvent,
  EventDetails,
  EventId,
  Group,
  Grouping,
  GroupLifecycle,
  NewDelivery,
  NewNote,
  NewProject,
  NewReport,
  NewUser,
  NewWebhook,
  Payload,
  ProjectId,
  ProjectToken,
  SourcemapResolution,
  StoredPayload,
  Webhook,
} from "@errata/core"
import { GroupId, SealedSecret, titleOf, unprocessed } from "@errata/core"
import { DateTime } from "effect"

/** A moment that defaults refer to. */
export const noon: DateTime.Utc = DateTime.unsafeMake(Date.UTC(2025, 5, 15, 12))

/** 32 hexadecimal digits. */
export const eventId = (): EventId => hex(32) as EventId

/** 64 hexadecimal digits, as a hash has them. */
export const hash = (): string => hex(64)

export const newProject = (overrides: Partial<NewProject> = {}): NewProject => ({
  name: `Project ${next()}`,
  platform: "node",
  timezone: "UTC",
  token: hex(32) as ProjectToken,
  ...overrides,
})

export const newUser = (overrides: Partial<NewUser> = {}): NewUser => {
  const number = next()
  return {
    name: `User ${number}`,
    emailAddress: `user${number}@example.test`,
    role: "member",
    apiKeyHash: hex(64),
    ...overrides,
  }
}

export const grouping = (overrides: Partial<Grouping> = {}): Grouping => ({
  algorithm: "v2",
  key: hex(64),
  data: { method: "exception", type: "Error", value: "boom" },
  ...overrides,
})

export const newGroup = (
  projectId: ProjectId,
  overrides: Partial<GroupLifecycle.NewGroup> = {},
): GroupLifecycle.NewGroup => ({
  projectId,
  grouping: grouping(),
  errorType: "Error",
  errorMessage: "boom",
  culprit: "app/main in run",
  severity: "error",
  occurredAt: noon,
  release: "",
  ...overrides,
})

export const eventDetails = (overrides: Partial<EventDetails> = {}): EventDetails => ({
  custom_fingerprint: null,
  transaction: "",
  transaction_source: null,
  logger: "",
  dist: "",
  logentry: null,
  exceptions: [{ type: "Error", value: "boom", frames: [{ filename: "app/main.js", function: "run" }] }],
  threads: [],
  security_report: null,
  breadcrumbs: [],
  contexts: [],
  user: {
    user_id: "",
    username: "",
    email: "",
    ip_address: "",
    geo_city: "",
    geo_region: "",
    geo_country_code: "",
    data: {},
  },
  request: { url: "", method: "", query_string: "", data: {}, cookies: {}, headers: {}, env: {} },
  sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  extras: [],
  dependencies: [],
  debug_images: [],
  ingest_truncations: [],
  ...overrides,
})

export const errorEvent = (overrides: Partial<ErrorEvent> = {}): ErrorEvent => ({
  eventId: eventId(),
  occurredAt: noon.epochMillis,
  platform: "node",
  severity: "error",
  handled: true,
  serverName: "",
  environment: "",
  release: "",
  tags: [],
  details: eventDetails(),
  ...overrides,
})

export const newReport = (
  group: Pick<Group, "projectId" | "id">,
  overrides: Partial<ErrorEvent> = {},
  resolution: SourcemapResolution = unprocessed,
): NewReport => {
  const event = errorEvent(overrides)
  return {
    projectId: group.projectId,
    groupId: group.id,
    event,
    place: null,
    tags: encode(event.tags),
    title: titleOf(event),
    resolution,
    receivedAt: event.occurredAt,
  }
}

export const newNote = (
  group: { readonly projectId: ProjectId; readonly id: GroupId },
  overrides: Partial<NewNote> = {},
): NewNote => ({
  projectId: group.projectId,
  groupId: group.id,
  userId: null,
  content: "Seen on staging, too",
  automated: false,
  createdAt: noon,
  ...overrides,
})

export const appName = (): string => `App ${next()}`

export const newWebhook = (projectId: ProjectId, overrides: Partial<NewWebhook> = {}): NewWebhook => ({
  projectId,
  url: `https://receiver${next()}.example.test/errata`,
  events: ["group.created", "group.resolved"],
  enabled: true,
  secret: SealedSecret.make(`v1.0badc0de.${hex(80)}`),
  ...overrides,
})

export const newDelivery = (
  webhook: Pick<Webhook, "projectId" | "id">,
  overrides: Partial<NewDelivery> = {},
): NewDelivery => ({
  projectId: webhook.projectId,
  webhookId: webhook.id,
  groupId: GroupId.make(next()),
  event: "group.created",
  resendOf: null,
  requestBody: `{"event":"group.created","group_id":${next()}}`,
  ...overrides,
})

/** A payload as if it were stored, at a place where nothing is. */
export const storedPayload = (projectId: ProjectId): StoredPayload => ({
  place: { segmentId: next(), position: 0 },
  payload: payload(projectId),
})

export const payload = (projectId: ProjectId, overrides: Partial<Payload> = {}): Payload => ({
  projectId,
  eventId: eventId(),
  kind: "event",
  receivedAt: noon.epochMillis,
  body: new TextEncoder().encode("{}"),
  ...overrides,
})

// internal

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

let count = 0
const next = (): number => ++count

// Scattered, so that keys do not happen to come in the order in which they were made.
const hex = (length: number): string => {
  const digits = Math.imul(next(), 0x9e3779b1) >>> 0
  return (digits.toString(16).padStart(8, "0") + count.toString(16).padStart(8, "0")).padEnd(length, "0")
}
