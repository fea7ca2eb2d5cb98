import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import { pageParams, payloadIdParam } from "./Params.js"
import { PayloadView } from "./PayloadView.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const errors = [Forbidden, InternalServerError, ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/payloads", {
  query: pageParams,
  success: pageOf("payloads", PayloadView),
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "List the payloads in the dead-letter queue (admin)")

const retryAll = HttpApiEndpoint.post("retryAll", "/payloads/retry", {
  success: Schema.Struct({
    retried: described("Number of payloads that were queued again", Schema.Int),
  }).pipe(
    Schema.annotateEncoded({
      identifier: "PayloadRetry",
      examples: [{ retried: 2 }],
    }),
  ),
  error: errors,
}).annotate(OpenApi.Summary, "Move all payloads of the dead-letter queue back into the queue (admin)")

const retry = HttpApiEndpoint.post("retry", "/payloads/:payload_id/retry", {
  params: { payload_id: payloadIdParam },
  error: [...errors, NotFound],
}).annotate(OpenApi.Summary, "Move a payload of the dead-letter queue back into the queue (admin)")

/** Accepted payloads that could not be recorded; for admins only. */
export const PayloadsApi = HttpApiGroup.make("payloads")
  .add(list, retryAll, retry)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Accepted payloads that could not be recorded, for admins.")
