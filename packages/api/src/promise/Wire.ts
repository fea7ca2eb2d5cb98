/** The contract's types as they are on the wire, under the names of the documentation. */
import type { ActivityView } from "../ActivityView.js"
import type { AlertRuleView, DryRunView } from "../AlertRuleView.js"
import type { AppView } from "../AppView.js"
import type { ArtifactBundleDetailView, ArtifactBundleView } from "../ArtifactBundleView.js"
import type { DeadLetterView } from "../DeadLetterView.js"
import type { DeliveryView } from "../DeliveryView.js"
import type { GroupDetailView, GroupView } from "../GroupView.js"
import type { HealthView } from "../HealthView.js"
import type { Query } from "../internal/Contract.js"
import type { Page } from "../internal/Pages.js"
import type { Timestamp } from "../Json.js"
import type { MailSettingsView, PausedAddressView } from "../MailSettingsView.js"
import type { MergeView } from "../MergeView.js"
import type { MeView } from "../MeView.js"
import type { NoteView } from "../NoteView.js"
import type { NotificationView } from "../NotificationView.js"
import type {
  ArtifactRetentionView,
  ErrorRetentionView,
  HostedSourcemapsView,
  IngestProtectionView,
} from "../PolicyView.js"
import type { ProjectView } from "../ProjectView.js"
import type { ReleaseView } from "../ReleaseView.js"
import type { ReportDetailView } from "../ReportDetailView.js"
import type { ReportView } from "../ReportView.js"
import type { RetentionRunView } from "../RetentionView.js"
import type { SourcemapOriginView } from "../SourcemapOriginView.js"
import type { TagDistributionView, TagValueView } from "../TagView.js"
import type { NotificationKindsView, TargetView } from "../TargetView.js"
import type { CreatedUserView, SignInLinkView, UserView } from "../UserView.js"
import type { CreatedWebhookView, WebhookView } from "../WebhookView.js"

/** JSON: timestamps are strings. */
export type Wire<T> = T extends typeof Timestamp.Type
  ? string
  : T extends Uint8Array
    ? T
    : T extends ReadonlyArray<infer A>
      ? ReadonlyArray<Wire<A>>
      : T extends object
        ? { readonly [K in keyof T]: Wire<T[K]> }
        : T

/**
 * An answer under the names below, which is what editors then show in place of all its fields: as a whole, or the items of
 * a list.
 */
export type Answer<T> = T extends Page
  ? {
      readonly [K in keyof T]: T[K] extends ReadonlyArray<infer A> ? ReadonlyArray<AnswerItem<A>> : Wire<T[K]>
    }
  : AnswerItem<T>

/** What is in a list, under its name. */
export type AnswerItem<T> = T extends unknown ? ([NameOf<T>] extends [never] ? Wire<T> : NameOf<T>) : never

/** A project with its token. */
export interface Project extends Wire<ProjectView> {}
/** A group of a list. */
export interface Group extends Wire<GroupView> {}
/** A group with what it was grouped by. */
export interface GroupDetail extends Wire<GroupDetailView> {}
/** Counts of reports by hour or day. */
export interface Activity extends Wire<ActivityView> {}
/** A report of a list. */
export interface Report extends Wire<ReportView> {}
/** A report with all of its details. */
export interface ReportDetail extends Wire<ReportDetailView> {}
/** The owner of the key, with their rights. */
export interface Me extends Wire<MeView> {}
/** A merge of groups. */
export interface Merge extends Wire<MergeView> {}
/** The values of a tag among the reports of a group. */
export interface TagDistribution extends Wire<TagDistributionView> {}
/** A value of a tag with its count. */
export interface TagValue extends Wire<TagValueView> {}
/** An upload of a build tool. */
export interface ArtifactBundle extends Wire<ArtifactBundleView> {}
/** An upload of a build tool, with its files. */
export interface ArtifactBundleDetail extends Wire<ArtifactBundleDetailView> {}
/** A release with its figures. */
export interface Release extends Wire<ReleaseView> {}
/** A run of retention, and what it removed. */
export interface RetentionRun extends Wire<RetentionRunView> {}
/** A note on a group. */
export interface Note extends Wire<NoteView> {}
/** A user. */
export interface User extends Wire<UserView> {}
/** A new user with the API key, which is shown once. */
export interface CreatedUser extends Wire<CreatedUserView> {}
/** A link that signs a user in once. */
export interface SignInLink extends Wire<SignInLinkView> {}
/** A set of projects. */
export interface App extends Wire<AppView> {}
/** A webhook, without its secret. */
export interface Webhook extends Wire<WebhookView> {}
/** A new webhook with its secret, which is shown once. */
export interface CreatedWebhook extends Wire<CreatedWebhookView> {}
/** A payload that could not be recorded, with the reason. */
export interface DeadLetter extends Wire<DeadLetterView> {}
/** A message to a webhook, and what came of it. */
export interface Delivery extends Wire<DeliveryView> {}
/** A place that notifications go to, without its secrets. */
export interface Target extends Wire<TargetView> {}
/** The kinds of targets of an instance. */
export interface NotificationKinds extends Wire<NotificationKindsView> {}
/** A rule that decides about notifications. */
export interface AlertRule extends Wire<AlertRuleView> {}
/** The notifications that a rule would have caused. */
export interface DryRun extends Wire<DryRunView> {}
/** A notification, and what came of it. */
export interface Notification extends Wire<NotificationView> {}
/** A person's settings for the mail of a project. */
export interface MailSettings extends Wire<MailSettingsView> {}
/** A mail address that gets no mail. */
export interface PausedAddress extends Wire<PausedAddressView> {}
/** An origin that source maps may be fetched from. */
export interface HostedSourcemapOrigin extends Wire<SourcemapOriginView> {}
/** The state of an instance. */
export interface Health extends Wire<HealthView> {}
/** The limits of ingest. */
export interface IngestProtection extends Wire<IngestProtectionView> {}
/** How long errors are kept. */
export interface ErrorRetention extends Wire<ErrorRetentionView> {}
/** How long artifacts are kept. */
export interface ArtifactRetention extends Wire<ArtifactRetentionView> {}
/** The policy about source maps on the web. */
export interface HostedSourcemaps extends Wire<HostedSourcemapsView> {}

/** What groups can be listed by. */
export type GroupFilter = Query<"groups", "list">
/** What the reports of a group can be listed by. */
export type ReportFilter = Query<"reports", "list">

// internal

/** What the contract calls the types above. */
interface Views {
  readonly Project: readonly [ProjectView, Project]
  readonly Group: readonly [GroupView, Group]
  readonly GroupDetail: readonly [GroupDetailView, GroupDetail]
  readonly Activity: readonly [ActivityView, Activity]
  readonly Report: readonly [ReportView, Report]
  readonly ReportDetail: readonly [ReportDetailView, ReportDetail]
  readonly Me: readonly [MeView, Me]
  readonly Merge: readonly [MergeView, Merge]
  readonly TagDistribution: readonly [TagDistributionView, TagDistribution]
  readonly TagValue: readonly [TagValueView, TagValue]
  readonly ArtifactBundle: readonly [ArtifactBundleView, ArtifactBundle]
  readonly ArtifactBundleDetail: readonly [ArtifactBundleDetailView, ArtifactBundleDetail]
  readonly Release: readonly [ReleaseView, Release]
  readonly RetentionRun: readonly [RetentionRunView, RetentionRun]
  readonly Note: readonly [NoteView, Note]
  readonly User: readonly [UserView, User]
  readonly CreatedUser: readonly [CreatedUserView, CreatedUser]
  readonly SignInLink: readonly [SignInLinkView, SignInLink]
  readonly App: readonly [AppView, App]
  readonly Webhook: readonly [WebhookView, Webhook]
  readonly CreatedWebhook: readonly [CreatedWebhookView, CreatedWebhook]
  readonly DeadLetter: readonly [DeadLetterView, DeadLetter]
  readonly Delivery: readonly [DeliveryView, Delivery]
  readonly Target: readonly [TargetView, Target]
  readonly NotificationKinds: readonly [NotificationKindsView, NotificationKinds]
  readonly AlertRule: readonly [AlertRuleView, AlertRule]
  readonly DryRun: readonly [DryRunView, DryRun]
  readonly Notification: readonly [NotificationView, Notification]
  readonly MailSettings: readonly [MailSettingsView, MailSettings]
  readonly PausedAddress: readonly [PausedAddressView, PausedAddress]
  readonly HostedSourcemapOrigin: readonly [SourcemapOriginView, HostedSourcemapOrigin]
  readonly Health: readonly [HealthView, Health]
  readonly IngestProtection: readonly [IngestProtectionView, IngestProtection]
  readonly ErrorRetention: readonly [ErrorRetentionView, ErrorRetention]
  readonly ArtifactRetention: readonly [ArtifactRetentionView, ArtifactRetention]
  readonly HostedSourcemaps: readonly [HostedSourcemapsView, HostedSourcemaps]
}

type NameOf<T> = {
  [Name in keyof Views]: IsSame<T, Views[Name][0]> extends true ? Views[Name][1] : never
}[keyof Views]

/** Whether they are the very same, and not only good for one another. */
type IsSame<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
