import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { optional, pageParams, retentionRunIdParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"
import { RetentionKind, RetentionRunView } from "./RetentionView.js"

const list = HttpApiEndpoint.get("list", "/data_retention/runs")
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("runs", RetentionRunView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List retention runs")

const get = HttpApiEndpoint.get("get")`/data_retention/runs/${retentionRunIdParam}`
  .addSuccess(RetentionRunView)
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Get a retention run and its progress")

const run = HttpApiEndpoint.post("run", "/data_retention/runs")
  .setUrlParams(
    Schema.Struct({
      kind: optional(RetentionKind.annotations({ description: "Data to delete. Default: `errors`" })),
    }),
  )
  .addSuccess(RetentionRunView, { status: 202 })
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "Start a retention run, or return the one that is already waiting or running")

/** What retention has removed, and when; for admins only. */
export const RetentionApi = HttpApiGroup.make("retention")
  .add(list)
  .add(get)
  .add(run)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Retention runs, which delete old data, for admins.")
