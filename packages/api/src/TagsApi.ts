import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { pageWith } from "./Page.js"
import { groupIdParam, projectIdParam, tagKeyParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams, TagCompletionParams } from "./Queries.js"
import { GroupTagsView, ProjectTagsView, TagCompletionView, TagValueView } from "./TagView.js"

const ofGroup = HttpApiEndpoint.get("ofGroup", "/projects/:project_id/groups/:group_id/tags", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  success: GroupTagsView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Count the tags of a group, each with its most frequent values")

const valuesOfGroup = HttpApiEndpoint.get(
  "valuesOfGroup",
  "/projects/:project_id/groups/:group_id/tags/:key",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam, key: tagKeyParam },
    query: PageParams,
    success: pageWith("values", TagValueView, {}, "most frequent first", "TagValuesPage"),
    error: [...resourceProblems, ValidationFailed],
  },
).annotate(OpenApi.Summary, "List the values of a tag of a group")

const keys = HttpApiEndpoint.get("keys", "/projects/:project_id/tags", {
  params: { project_id: projectIdParam },
  success: ProjectTagsView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "List the tag keys of a project")

const values = HttpApiEndpoint.get("values", "/projects/:project_id/tags/:key/values", {
  params: { project_id: projectIdParam, key: tagKeyParam },
  query: TagCompletionParams,
  success: TagCompletionView,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "Complete a tag value from the project's most recent groups")

/** The tags of groups, and the keys and values of a project. */
export const TagsApi = HttpApiGroup.make("tags")
  .add(ofGroup, valuesOfGroup, keys, values)
  .annotate(OpenApi.Description, "Tags of groups, and the tag keys and values of a project.")
