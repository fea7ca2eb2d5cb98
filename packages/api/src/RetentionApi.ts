import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { pageOf } from "./Page.js"
import { retentionRunIdParam } from "./Params.js"
import { instanceProblems, NotFound, ValidationFailed } from "./Problem.js"
import { PageParams, RetentionRunParams } from "./Queries.js"
import { RetentionRunView } from "./RetentionView.js"

const list = HttpApiEndpoint.get("list", "/data_retention/runs", {
  query: PageParams,
  success: pageOf("runs", RetentionRunView),
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List retention runs (admin)")

const get = HttpApiEndpoint.get("get", "/data_retention/runs/:run_id", {
  params: { run_id: retentionRunIdParam },
  success: RetentionRunView,
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Get a retention run and its progress (admin)")

const run = HttpApiEndpoint.post("run", "/data_retention/runs", {
  query: RetentionRunParams,
  success: withStatus(202, RetentionRunView),
  error: [...instanceProblems, ValidationFailed],
}).annotate(
  OpenApi.Summary,
  "Start a retention run, or return the one that is already waiting or running (admin)",
)

/** Retention runs, which delete old data. For admins only. */
export const RetentionApi = HttpApiGroup.make("retention")
  .add(list, get, run)
  .annotate(OpenApi.Description, "Retention runs, which delete old data, for admins.")
