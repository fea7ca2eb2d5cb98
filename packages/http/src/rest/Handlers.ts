/** The handlers of every group of endpoints. */
import * as ActivityHandlers from "./ActivityHandlers.js"
import * as AlertRuleHandlers from "./AlertRuleHandlers.js"
import * as AppHandlers from "./AppHandlers.js"
import * as ArtifactHandlers from "./ArtifactHandlers.js"
import * as DeadLetterHandlers from "./DeadLetterHandlers.js"
import * as DeliveryHandlers from "./DeliveryHandlers.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as HealthHandlers from "./HealthHandlers.js"
import * as MeHandlers from "./MeHandlers.js"
import * as MemberHandlers from "./MemberHandlers.js"
import * as MergeHandlers from "./MergeHandlers.js"
import * as NoteHandlers from "./NoteHandlers.js"
import * as NotificationHandlers from "./NotificationHandlers.js"
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

/** By the name of the group in the contract. */
export const handlers = {
  activity: ActivityHandlers.make,
  alertRules: AlertRuleHandlers.make,
  apps: AppHandlers.make,
  artifacts: ArtifactHandlers.make,
  assignees: MemberHandlers.makeAssignees,
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
  people: MemberHandlers.makePeople,
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
