/** Entities and events with readable defaults. Each has a unique id, name, key or address. */
import {
  type AlertRuleContent,
  type EventId,
  firstRule,
  type Group,
  GroupId,
  type Grouping,
  type ProjectId,
  type ProjectToken,
  type Target,
  webhookKind,
} from "@errata/core"
import {
  type ErrorEvent,
  type EventDetails,
  type EventUser,
  type GroupLifecycle,
  makeErrorEvent,
  type NewArtifactBundle,
  type NewArtifactFile,
  type NewDelivery,
  type NewNote,
  type NewProject,
  type NewReport,
  type NewTarget,
  type NewUser,
  type Payload,
  SealedSecret,
  type SourcemapResolution,
  type StoredPayload,
  TagList,
  titleOf,
  unprocessed,
} from "@errata/core/ports"
import { DateTime } from "effect"

/** The time that defaults refer to. */
export const noon: DateTime.Utc = DateTime.makeUnsafe(Date.UTC(2025, 5, 15, 12))

/** Returns a unique event id of 32 hexadecimal digits. */
export const eventId = (): EventId => hex(32) as EventId

/** Returns a unique hash of 64 hexadecimal digits. */
export const hash = (): string => hex(64)

/** A project with a unique name. */
export const newProject = (overrides: Partial<NewProject> = {}): NewProject => ({
  name: `Project ${next()}`,
  platform: "node",
  timezone: "UTC",
  token: hex(32) as ProjectToken,
  ...overrides,
})

/** A user with a unique email address. */
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

/** A grouping with a unique key. */
export const grouping = (overrides: Partial<Grouping> = {}): Grouping => ({
  algorithm: "v2",
  key: hex(64),
  data: { method: "exception", type: "Error", value: "boom" },
  ...overrides,
})

/** A group of the project. */
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

/** The details of an event with one exception. */
export const eventDetails = (overrides: Partial<EventDetails> = {}): EventDetails => ({
  ...empty.details,
  exceptions: [{ type: "Error", value: "boom", frames: [{ filename: "app/main.js", function: "run" }] }],
  sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  ...overrides,
})

/** An event's user without any data. */
export const eventUser = (overrides: Partial<EventUser> = {}): EventUser => ({
  ...empty.details.user,
  ...overrides,
})

/** An event with a unique id. */
export const errorEvent = (overrides: Partial<ErrorEvent> = {}): ErrorEvent => ({
  ...empty,
  eventId: eventId(),
  occurredAt: noon.epochMilliseconds,
  platform: "node",
  details: eventDetails(),
  ...overrides,
})

/** A report of the group. */
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
    tags: TagList.encode(event.tags),
    title: titleOf(event),
    groupTitle: null,
    resolution,
    receivedAt: event.occurredAt,
  }
}

/** A note on the group. */
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

/** Returns a unique name of an app. */
export const appName = (): string => `App ${next()}`

/** A webhook of the project with a unique URL. */
export const newWebhook = (projectId: ProjectId, overrides: Partial<NewTarget> = {}): NewTarget =>
  newTarget(projectId, {
    kind: webhookKind,
    name: "",
    address: {},
    url: `https://receiver${next()}.example.test/errata`,
    events: ["group.created", "group.resolved"],
    ...overrides,
  })

/** A chat target of the project. */
export const newTarget = (projectId: ProjectId, overrides: Partial<NewTarget> = {}): NewTarget => ({
  projectId,
  kind: "chat",
  name: `Room ${next()}`,
  enabled: true,
  address: { channel: `#room${next()}` },
  secret: SealedSecret.make(`v1.0badc0de.${hex(80)}`),
  quietHours: null,
  createdBy: null,
  ...overrides,
})

/** A rule for new and reopened groups that notifies all targets. */
export const ruleContent = (overrides: Partial<AlertRuleContent> = {}): AlertRuleContent => ({
  ...firstRule,
  name: `Rule ${next()}`,
  ...overrides,
})

/** A delivery to the webhook, or to another target. */
export const newDelivery = (
  target: Pick<Target, "projectId" | "id">,
  overrides: Partial<NewDelivery> = {},
): NewDelivery => ({
  projectId: target.projectId,
  targetId: target.id,
  groupId: GroupId.make(next()),
  event: "group.created",
  ruleId: null,
  userId: null,
  recipient: null,
  resendOf: null,
  requestBody: `{"event":"group.created","group_id":${next()}}`,
  heldBack: null,
  ...overrides,
})

/** Returns a debug id as clients write it: `0badc0de-0000-0000-0000-000000000000`. */
export const debugId = (): string => hex(32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

/** A source map of a bundle. */
export const newArtifactFile = (overrides: Partial<NewArtifactFile> = {}): NewArtifactFile => ({
  type: "source_map",
  url: "~/app.js.map",
  debugId: null,
  otherDebugIds: [],
  mapReference: null,
  size: 10,
  blob: hash(),
  ...overrides,
})

/** A bundle with one file. */
export const newArtifactBundle = (
  projectId: ProjectId,
  overrides: Partial<NewArtifactBundle> = {},
): NewArtifactBundle => ({
  projectId,
  kind: "bundle",
  checksum: hex(40),
  size: 100,
  name: null,
  note: null,
  detail: null,
  uploadedBy: null,
  files: [newArtifactFile()],
  ...overrides,
})

/** A stored payload at a position where nothing is stored. */
export const storedPayload = (projectId: ProjectId): StoredPayload => ({
  place: { segmentId: next(), position: 0 },
  payload: payload(projectId),
})

/** A payload with a unique event id. */
export const payload = (projectId: ProjectId, overrides: Partial<Payload> = {}): Payload => ({
  projectId,
  eventId: eventId(),
  kind: "event",
  receivedAt: noon.epochMilliseconds,
  body: new TextEncoder().encode("{}"),
  ...overrides,
})

// internal

const empty = makeErrorEvent({ eventId: "0".repeat(32), occurredAt: 0 })

let count = 0
const next = (): number => ++count

// Scattered, so that the order of keys differs from their order of creation.
const hex = (length: number): string => {
  const digits = Math.imul(next(), 0x9e3779b1) >>> 0
  return (digits.toString(16).padStart(8, "0") + count.toString(16).padStart(8, "0")).padEnd(length, "0")
}
