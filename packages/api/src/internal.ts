/** Helpers that Errata's own packages share. They may change in any release: do not build on them. */

export { activityView } from "./ActivityView.js"
export { AlertRuleCreation, AlertRuleUpdate, alertRuleView, dryRunView } from "./AlertRuleView.js"
export { AppCreation, AppUpdate, appView } from "./AppView.js"
export { artifactBundleDetailView, artifactBundleView } from "./ArtifactBundleView.js"
export { attachmentType, contentDisposition } from "./AttachmentDownload.js"
export { type CamelKeys, camelKeys } from "./CamelKeys.js"
export { deadLetterView } from "./DeadLetterView.js"
export { deliveryView } from "./DeliveryView.js"
export {
  Assignment,
  BulkMute,
  BulkResolve,
  GroupIds,
  GroupMute,
  GroupResolve,
  groupDetailView,
  groupView,
  hintFields,
  IssueLink,
} from "./GroupView.js"
export { healthView } from "./HealthView.js"
export { MailSettingsUpdate, mailSettingsView, pausedAddressView } from "./MailSettingsView.js"
export { mergeView } from "./MergeView.js"
export { meView } from "./MeView.js"
export { NoteCreation, noteView } from "./NoteView.js"
export { notificationView } from "./NotificationView.js"
export { pageFields } from "./Page.js"
export * as Params from "./Params.js"
export { assigneeView, MemberAddition } from "./PersonView.js"
export {
  ArtifactRetentionUpdate,
  artifactRetentionView,
  ErrorRetentionUpdate,
  errorRetentionView,
  HostedSourcemapsUpdate,
  hostedSourcemapsView,
  IngestProtectionUpdate,
  ingestProtectionView,
} from "./PolicyView.js"
export * as Problem from "./Problems.js"
export {
  NotificationSettings,
  notificationSettingsView,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  projectView,
} from "./ProjectView.js"
export { queryOf } from "./Queries.js"
export { releaseAppearanceView, releaseView } from "./ReleaseView.js"
export { reportDetailView } from "./ReportDetailView.js"
export { reportView } from "./ReportView.js"
export { retentionRunView } from "./RetentionView.js"
export { SourcemapOriginCreation, sourcemapOriginView } from "./SourcemapOriginView.js"
export { sourcemapRetryView } from "./SourcemapRetryView.js"
export { routes } from "./surface/Endpoints.js"
export { tagDistributionView, tagValueView } from "./TagView.js"
export {
  notificationKindsView,
  quietHoursOf,
  TargetCreation,
  TargetUpdate,
  targetView,
} from "./TargetView.js"
export { signInLinkView, UserCreation, UserUpdate, userView } from "./UserView.js"
export { createdWebhookView, WebhookCreation, WebhookUpdate, webhookView } from "./WebhookView.js"
