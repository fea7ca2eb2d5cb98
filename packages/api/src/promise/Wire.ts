/** The types of answers, under the names of the documentation. */
import type { Query } from "../surface/Names.js"
import type * as Types from "../surface/Types.js"

/** A project with its token. */
export interface Project extends Types.Project {}
/** A group of a list. */
export interface Group extends Types.Group {}
/** A group with what it was grouped by. */
export interface GroupDetail extends Types.GroupDetail {}
/** Counts of reports by hour or day. */
export interface Activity extends Types.Activity {}
/** A report of a list. */
export interface Report extends Types.Report {}
/** A report with all of its details. */
export interface ReportDetail extends Types.ReportDetail {}
/** The owner of the key, with their rights. */
export interface Me extends Types.Me {}
/** A merge of groups. */
export interface Merge extends Types.Merge {}
/** The values of a tag among the reports of a group. */
export interface TagDistribution extends Types.TagDistribution {}
/** A value of a tag with its count. */
export interface TagValue extends Types.TagValue {}
/** An upload of a build tool. */
export interface ArtifactBundle extends Types.ArtifactBundle {}
/** An upload of a build tool, with its files. */
export interface ArtifactBundleDetail extends Types.ArtifactBundleDetail {}
/** A release with its figures. */
export interface Release extends Types.Release {}
/** A run of retention, and what it removed. */
export interface RetentionRun extends Types.RetentionRun {}
/** A note on a group. */
export interface Note extends Types.Note {}
/** A user. */
export interface User extends Types.User {}
/** A new user with the API key, which is shown once. */
export interface CreatedUser extends Types.CreatedUser {}
/** A link that signs a user in once. */
export interface SignInLink extends Types.SignInLink {}
/** A set of projects. */
export interface App extends Types.App {}
/** A webhook, without its secret. */
export interface Webhook extends Types.Webhook {}
/** A new webhook with its secret, which is shown once. */
export interface CreatedWebhook extends Types.CreatedWebhook {}
/** A payload that could not be recorded, with the reason. */
export interface DeadLetter extends Types.DeadLetter {}
/** A message to a webhook, and what came of it. */
export interface Delivery extends Types.Delivery {}
/** A place that notifications go to, without its secrets. */
export interface Target extends Types.Target {}
/** The kinds of targets of an instance. */
export interface NotificationKinds extends Types.NotificationKinds {}
/** A rule that decides about notifications. */
export interface AlertRule extends Types.AlertRule {}
/** The notifications that a rule would have caused. */
export interface DryRun extends Types.DryRun {}
/** A notification, and what came of it. */
export interface Notification extends Types.Notification {}
/** A person's settings for the mail of a project. */
export interface MailSettings extends Types.MailSettings {}
/** A mail address that gets no mail. */
export interface PausedAddress extends Types.PausedAddress {}
/** An origin that source maps may be fetched from. */
export interface HostedSourcemapOrigin extends Types.HostedSourcemapOrigin {}
/** The state of an instance. */
export interface Health extends Types.Health {}
/** The limits of ingest. */
export interface IngestProtection extends Types.IngestProtection {}
/** How long errors are kept. */
export interface ErrorRetention extends Types.ErrorRetention {}
/** How long artifacts are kept. */
export interface ArtifactRetention extends Types.ArtifactRetention {}
/** The policy about source maps on the web. */
export interface HostedSourcemaps extends Types.HostedSourcemaps {}

/** What groups can be listed by. */
export type GroupFilter = Query<"groups", "list">
/** What the reports of a group can be listed by. */
export type ReportFilter = Query<"reports", "list">
