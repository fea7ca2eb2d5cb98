/** The REST contract: every endpoint with its requests and responses. Servers and clients are derived from it. */

import { HttpApi, OpenApi } from "effect/http-api"
import { ActivityApi } from "./ActivityApi.js"
import { AlertRulesApi, DefaultAlertRulesApi } from "./AlertRulesApi.js"
import { apiPath, isServiceName } from "./ApiPath.js"
import { AppsApi } from "./AppsApi.js"
import { ArtifactsApi } from "./ArtifactsApi.js"
import { Authentication } from "./Authentication.js"
import { DeadLettersApi } from "./DeadLettersApi.js"
import { GroupsApi } from "./GroupsApi.js"
import { HealthApi } from "./HealthApi.js"
import { MeApi } from "./MeApi.js"
import { AssigneesApi, MembersApi, PeopleApi } from "./MembersApi.js"
import { MergesApi } from "./MergesApi.js"
import { NotesApi } from "./NotesApi.js"
import { MailSettingsApi, NotificationsApi, PausedAddressesApi } from "./NotificationsApi.js"
import { amend } from "./OpenApiDocument.js"
import { PoliciesApi } from "./PoliciesApi.js"
import { ProjectsApi } from "./ProjectsApi.js"
import { ReleasesApi } from "./ReleasesApi.js"
import { ReportsApi } from "./ReportsApi.js"
import { RetentionApi } from "./RetentionApi.js"
import { SourcemapOriginsApi } from "./SourcemapOriginsApi.js"
import { TagsApi } from "./TagsApi.js"
import { TargetsApi } from "./TargetsApi.js"
import { UsersApi } from "./UsersApi.js"
import { DeliveriesApi, WebhooksApi } from "./WebhooksApi.js"

export { apiPath, isServiceName }

/** Creates the contract of an instance with the given service name. */
export const makeErrataApi = (serviceName = "service") =>
  HttpApi.make("errata")
    .add(MeApi)
    .add(ProjectsApi)
    .add(GroupsApi)
    .add(ActivityApi)
    .add(MergesApi)
    .add(TagsApi)
    .add(ReleasesApi)
    .add(ArtifactsApi)
    .add(ReportsApi)
    .add(NotesApi)
    .add(AssigneesApi)
    .add(PeopleApi)
    .add(MembersApi)
    .add(SourcemapOriginsApi)
    .add(WebhooksApi)
    .add(DeliveriesApi)
    .add(TargetsApi)
    .add(AlertRulesApi)
    .add(DefaultAlertRulesApi)
    .add(NotificationsApi)
    .add(MailSettingsApi)
    .add(PausedAddressesApi)
    .add(AppsApi)
    .add(UsersApi)
    .add(PoliciesApi)
    .add(RetentionApi)
    .add(DeadLettersApi)
    .add(HealthApi)
    .middleware(Authentication)
    .prefix(apiPath(serviceName))
    .annotate(OpenApi.Title, "Errata")
    .annotate(OpenApi.Version, "v1")
    .annotate(OpenApi.Description, "Error tracking: projects, groups of error reports, and triage.")
    .annotate(OpenApi.License, { name: "MIT" })
    .annotate(OpenApi.Transform, amend)

/** The contract of one service name. */
export type ErrataApi = ReturnType<typeof makeErrataApi>
