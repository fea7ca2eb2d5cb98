/** The handlers of the contract for calls within the process. They are those of the server, without its stack. */
import type { Services } from "@errata/core"
import { type Context, Effect } from "effect"
import * as ActivityHandlers from "./ActivityHandlers.js"
import * as AlertRuleHandlers from "./AlertRuleHandlers.js"
import * as AppHandlers from "./AppHandlers.js"
import * as ArtifactHandlers from "./ArtifactHandlers.js"
import * as AssigneeHandlers from "./AssigneeHandlers.js"
import type { RequestBodies } from "./AuthorizedBody.js"
import type { BodyRequest } from "./BodyRequest.js"
import * as DeadLetterHandlers from "./DeadLetterHandlers.js"
import * as DeliveryHandlers from "./DeliveryHandlers.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as HealthHandlers from "./HealthHandlers.js"
import * as MeHandlers from "./MeHandlers.js"
import * as MemberHandlers from "./MemberHandlers.js"
import * as MergeHandlers from "./MergeHandlers.js"
import * as NoteHandlers from "./NoteHandlers.js"
import * as NotificationHandlers from "./NotificationHandlers.js"
import * as PeopleHandlers from "./PeopleHandlers.js"
import * as PolicyHandlers from "./PolicyHandlers.js"
import * as ProjectHandlers from "./ProjectHandlers.js"
import * as ReleaseHandlers from "./ReleaseHandlers.js"
import * as ReportHandlers from "./ReportHandlers.js"
import * as RetentionHandlers from "./RetentionHandlers.js"
import * as SourcemapOriginHandlers from "./SourcemapOriginHandlers.js"
import * as TagHandlers from "./TagHandlers.js"
import * as TargetHandlers from "./TargetHandlers.js"
import * as UserHandlers from "./UserHandlers.js"
import * as WebhookHandlers from "./WebhookHandlers.js"

/** The decoded parts of a call. */
export interface CalledWith {
  readonly params: unknown
  readonly query: unknown
  readonly request: BodyRequest
}

export type CalledHandler = (call: CalledWith) => Effect.Effect<unknown, unknown, RequestBodies>

/** Returns the handlers of a group, which are built at its first call. */
export const make = (services: Context.Context<Services.Services>) => {
  const built = new Map<string, Readonly<Record<string, CalledHandler>>>()
  return (group: string): Readonly<Record<string, CalledHandler>> => {
    const known = built.get(group)
    if (known !== undefined) return known
    const handlers = new CollectedHandlers()
    Effect.runSyncWith(services)(groups[group]!(handlers as never))
    built.set(group, handlers.named)
    return handlers.named
  }
}

// internal

/** The part of the handler collection that handlers use. */
class CollectedHandlers {
  readonly named: Record<string, CalledHandler> = {}

  handle(name: string, handler: CalledHandler): this {
    this.named[name] = handler
    return this
  }

  handleRaw(name: string, handler: CalledHandler): this {
    return this.handle(name, handler)
  }
}

const groups: Readonly<
  Record<string, (handlers: never) => Effect.Effect<unknown, never, Services.Services>>
> = {
  activity: ActivityHandlers.make,
  alertRules: AlertRuleHandlers.make,
  apps: AppHandlers.make,
  artifacts: ArtifactHandlers.make,
  assignees: AssigneeHandlers.make,
  deadLetters: DeadLetterHandlers.make,
  defaultAlertRules: AlertRuleHandlers.makeDefault,
  deliveries: DeliveryHandlers.make,
  groups: GroupHandlers.make,
  health: HealthHandlers.make,
  mailSettings: NotificationHandlers.makeMailSettings,
  me: MeHandlers.make,
  members: MemberHandlers.make,
  merges: MergeHandlers.make,
  notes: NoteHandlers.make,
  notifications: NotificationHandlers.make,
  pausedAddresses: NotificationHandlers.makePausedAddresses,
  people: PeopleHandlers.make,
  policies: PolicyHandlers.make,
  projects: ProjectHandlers.make,
  releases: ReleaseHandlers.make,
  reports: ReportHandlers.make,
  retention: RetentionHandlers.make,
  sourcemapOrigins: SourcemapOriginHandlers.make,
  tags: TagHandlers.make,
  targets: TargetHandlers.make,
  users: UserHandlers.make,
  webhooks: WebhookHandlers.make,
}
