import { StorableText } from "@errata/core/validation"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageWith } from "./Page.js"
import { groupIdParam, limitParam, optional, pageParams, projectIdParam, tagKeyParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"
import { GroupTagsView, ProjectTagsView, TagCompletionView, TagValueView } from "./TagView.js"

const errors = [Forbidden, NotFound, InternalServerError, ServiceUnavailable] as const

const maxPrefix = 200

const ofGroup = HttpApiEndpoint.get("ofGroup", "/projects/:project_id/groups/:group_id/tags", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  success: GroupTagsView,
  error: errors,
}).annotate(OpenApi.Summary, "Count the tags of a group, each with its most frequent values")

const valuesOfGroup = HttpApiEndpoint.get(
  "valuesOfGroup",
  "/projects/:project_id/groups/:group_id/tags/:key",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam, key: tagKeyParam },
    query: pageParams,
    success: pageWith("values", TagValueView, {}, "most frequent first", "TagValuesPage"),
    error: [...errors, ValidationFailed],
  },
).annotate(OpenApi.Summary, "List the values of a tag of a group")

const keys = HttpApiEndpoint.get("keys", "/projects/:project_id/tags", {
  params: { project_id: projectIdParam },
  success: ProjectTagsView,
  error: errors,
}).annotate(OpenApi.Summary, "List the tag keys of a project")

const values = HttpApiEndpoint.get("values", "/projects/:project_id/tags/:key/values", {
  params: { project_id: projectIdParam, key: tagKeyParam },
  query: {
    prefix: described(
      "Return only values that begin with this text, in any case",
      optional(
        Schema.String.annotate({ message: "must be a string" }).check(
          Schema.isMaxLength(maxPrefix, { message: StorableText.tooLong(maxPrefix) }),
        ),
      ),
    ),
    limit: limitParam(25, 25),
  },
  success: TagCompletionView,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "Complete a tag value from the project's most recent groups")

/** The tags of groups, and the keys and values of a project. */
export const TagsApi = HttpApiGroup.make("tags")
  .add(ofGroup, valuesOfGroup, keys, values)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Tags of groups, and the tag keys and values of a project.")
