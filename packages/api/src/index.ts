/** Errata's REST contract: schemas, endpoints and problems, without server code. */

export { ActivityView } from "./ActivityView.js"
export { AlertRuleView, AlertTriggerView, DryRunView } from "./AlertRuleView.js"
export { AppView } from "./AppView.js"
export { ArtifactBundleDetailView, ArtifactBundleView } from "./ArtifactBundleView.js"
export { Authentication } from "./Authentication.js"
export { DeadLetterView } from "./DeadLetterView.js"
export { DeliveryView } from "./DeliveryView.js"
export { apiPath, type ErrataApi, isServiceName, makeErrataApi } from "./ErrataApi.js"
export { BulkResult, GroupDetailView, GroupView, MergeResult, SearchHintView } from "./GroupView.js"
export { HealthView } from "./HealthView.js"
export { JsonObject, Timestamp } from "./Json.js"
export { MailSettingsView, PausedAddressView } from "./MailSettingsView.js"
export { MergeView } from "./MergeView.js"
export { MeView, ProjectAccessView } from "./MeView.js"
export { NoteView } from "./NoteView.js"
export { NotificationView } from "./NotificationView.js"
export { AssigneeView, PeopleView } from "./PersonView.js"
export {
  ArtifactRetentionView,
  ErrorRetentionView,
  HostedSourcemapsView,
  IngestProtectionView,
} from "./PolicyView.js"
export * as Problem from "./Problem.js"
export { ProjectView } from "./ProjectView.js"
export { NewestReleasesView, ReleaseAppearanceView, ReleaseView } from "./ReleaseView.js"
export { ReportDetailView } from "./ReportDetailView.js"
export { ReportView } from "./ReportView.js"
export { RetentionRunView } from "./RetentionView.js"
export { SourcemapOriginView } from "./SourcemapOriginView.js"
export { TagDistributionView, TagValueView } from "./TagView.js"
export { NotificationKindsView, TargetView } from "./TargetView.js"
export { CreatedUserView, RotatedKeyView, SignInLinkView, UserView } from "./UserView.js"
export { CreatedWebhookView, WebhookView } from "./WebhookView.js"
