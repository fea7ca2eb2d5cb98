/** Errata's REST contract: schemas, endpoints and problems, without server code. */

export { Authentication } from "./Authentication.js"
export { apiPath, type ErrataApi, makeErrataApi } from "./ErrataApi.js"
export { GroupListParams, GroupsApi } from "./GroupsApi.js"
export { GroupDetailView, GroupMute, GroupView, groupDetailView, groupView } from "./GroupView.js"
export { JsonObject, Timestamp } from "./Json.js"
export { pageFields, pageOf } from "./Page.js"
export * as Params from "./Params.js"
export * as Problem from "./Problem.js"
export { ProjectsApi } from "./ProjectsApi.js"
export { ProjectCreation, ProjectView, projectView } from "./ProjectView.js"
export { ReportsApi } from "./ReportsApi.js"
export { ReportDetailView, ReportView, reportDetailView, reportView } from "./ReportView.js"
