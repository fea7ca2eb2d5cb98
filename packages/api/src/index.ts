/** Errata's REST contract: schemas, endpoints and problems, without server code. */

export { ActivityApi } from "./ActivityApi.js"
export { ActivityView, activityView } from "./ActivityView.js"
export { AppsApi } from "./AppsApi.js"
export { AppCreation, AppUpdate, AppView, appView } from "./AppView.js"
export {
  ArtifactBundleDetailView,
  ArtifactBundleView,
  artifactBundleDetailView,
  artifactBundleView,
} from "./ArtifactBundleView.js"
export { ArtifactsApi } from "./ArtifactsApi.js"
export { AssigneesApi } from "./AssigneesApi.js"
export { AssigneeView, assigneeView } from "./AssigneeView.js"
export { attachmentType, contentDisposition } from "./AttachmentDownload.js"
export { Authentication } from "./Authentication.js"
export { DeadLettersApi } from "./DeadLettersApi.js"
export { DeadLetterView, deadLetterView } from "./DeadLetterView.js"
export { DeliveryView, deliveryView } from "./DeliveryView.js"
export { apiPath, type ErrataApi, isServiceName, makeErrataApi } from "./ErrataApi.js"
export { GroupListParams, GroupsApi } from "./GroupsApi.js"
export {
  Assignment,
  BulkResult,
  GroupDetailView,
  GroupIds,
  GroupMute,
  GroupView,
  groupDetailView,
  groupView,
  hintFields,
  IssueLink,
  MergeResult,
  SearchHintView,
} from "./GroupView.js"
export { HealthApi } from "./HealthApi.js"
export { HealthView, healthView } from "./HealthView.js"
export { JsonObject, Timestamp } from "./Json.js"
export { MeApi } from "./MeApi.js"
export { MemberAddition, MembersApi } from "./MembersApi.js"
export { MergesApi } from "./MergesApi.js"
export { MergeView, mergeView } from "./MergeView.js"
export { MeView, meView, ProjectAccessView } from "./MeView.js"
export { NotesApi } from "./NotesApi.js"
export { NoteCreation, NoteView, noteView } from "./NoteView.js"
export { pageFields, pageOf } from "./Page.js"
export * as Params from "./Params.js"
export { PeopleApi, PeopleView } from "./PeopleApi.js"
export { PoliciesApi } from "./PoliciesApi.js"
export {
  ArtifactRetentionUpdate,
  ArtifactRetentionView,
  artifactRetentionView,
  ErrorRetentionUpdate,
  ErrorRetentionView,
  errorRetentionView,
  HostedSourcemapsUpdate,
  HostedSourcemapsView,
  hostedSourcemapsView,
  IngestProtectionUpdate,
  IngestProtectionView,
  ingestProtectionView,
} from "./PolicyView.js"
export * as Problem from "./Problem.js"
export { ProjectsApi } from "./ProjectsApi.js"
export {
  NotificationSettings,
  notificationSettingsView,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  ProjectView,
  projectView,
  TestEventAccepted,
} from "./ProjectView.js"
export { ReleasesApi } from "./ReleasesApi.js"
export { ReleaseView, releaseView } from "./ReleaseView.js"
export { ReportDetailView, reportDetailView } from "./ReportDetailView.js"
export { ReportsApi } from "./ReportsApi.js"
export { ReportView, reportView } from "./ReportView.js"
export { RetentionApi } from "./RetentionApi.js"
export { RetentionRunView, retentionRunView } from "./RetentionView.js"
export { SourcemapOriginsApi } from "./SourcemapOriginsApi.js"
export { SourcemapOriginCreation, SourcemapOriginView, sourcemapOriginView } from "./SourcemapOriginView.js"
export { SourcemapRetryAccepted, SourcemapRetryResolved, sourcemapRetryView } from "./SourcemapRetryView.js"
export { TagsApi } from "./TagsApi.js"
export { TagDistributionView, TagValueView, tagDistributionView, tagValueView } from "./TagView.js"
export { UsersApi } from "./UsersApi.js"
export {
  CreatedUserView,
  RotatedKeyView,
  SignInLinkView,
  signInLinkUrl,
  signInLinkView,
  UserCreation,
  UserUpdate,
  UserView,
  userView,
} from "./UserView.js"
export { DeliveriesApi, DeliveryListParams, WebhooksApi } from "./WebhooksApi.js"
export {
  CreatedWebhookView,
  createdWebhookView,
  WebhookCreation,
  WebhookUpdate,
  WebhookView,
  webhookView,
} from "./WebhookView.js"
