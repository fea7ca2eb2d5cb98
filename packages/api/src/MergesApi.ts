import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MergeView } from "./MergeView.js"
import { pageOf } from "./Page.js"
import { groupIdParam, mergeIdParam, projectIdParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups/:group_id/merges", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: PageParams,
  success: pageOf("merges", MergeView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the merges of a group")

const undo = HttpApiEndpoint.delete("undo", "/projects/:project_id/groups/:group_id/merges/:merge_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam, merge_id: mergeIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Undo a merge: its source becomes a separate group again")

/** Past merges of groups, which can be undone. */
export const MergesApi = HttpApiGroup.make("merges")
  .add(list, undo)
  .annotate(OpenApi.Description, "Merges of groups, which can be undone.")
