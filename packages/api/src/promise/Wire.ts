/** The contract's types as they are on the wire, under the names of the documentation. */
import type { AppView } from "../AppView.js"
import type { ArtifactBundleDetailView, ArtifactBundleView } from "../ArtifactBundleView.js"
import type { DeliveryView } from "../DeliveryView.js"
import type { GroupDetailView, GroupView } from "../GroupView.js"
import type { Query } from "../internal/Contract.js"
import type { Timestamp } from "../Json.js"
import type { MergeView } from "../MergeView.js"
import type { NoteView } from "../NoteView.js"
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
import type { SourcemapOriginView } from "../SourcemapOriginView.js"
import type { UserView } from "../UserView.js"
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

export interface Project extends Wire<ProjectView> {}
export interface Group extends Wire<GroupView> {}
export interface GroupDetail extends Wire<GroupDetailView> {}
export interface Report extends Wire<ReportView> {}
export interface ReportDetail extends Wire<ReportDetailView> {}
export interface Merge extends Wire<MergeView> {}
export interface ArtifactBundle extends Wire<ArtifactBundleView> {}
export interface ArtifactBundleDetail extends Wire<ArtifactBundleDetailView> {}
export interface Release extends Wire<ReleaseView> {}
export interface Note extends Wire<NoteView> {}
export interface User extends Wire<UserView> {}
export interface App extends Wire<AppView> {}
export interface Webhook extends Wire<WebhookView> {}
export interface CreatedWebhook extends Wire<CreatedWebhookView> {}
export interface Delivery extends Wire<DeliveryView> {}
export interface HostedSourcemapOrigin extends Wire<SourcemapOriginView> {}
export interface IngestProtection extends Wire<IngestProtectionView> {}
export interface ErrorRetention extends Wire<ErrorRetentionView> {}
export interface ArtifactRetention extends Wire<ArtifactRetentionView> {}
export interface HostedSourcemaps extends Wire<HostedSourcemapsView> {}

/** What groups can be listed by. */
export type GroupFilter = Query<"groups", "list">
/** What the reports of a group can be listed by. */
export type ReportFilter = Query<"reports", "list">
