import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import { pageParams, payloadIdParam } from "./Params.js"
import { PayloadView } from "./PayloadView.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const list = HttpApiEndpoint.get("list", "/payloads")
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("payloads", PayloadView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the payloads in the dead-letter queue")

const retryAll = HttpApiEndpoint.post("retryAll", "/payloads/retry")
  .addSuccess(
    Schema.Struct({
      retried: described("Number of payloads that were queued again", Schema.Int),
    }).annotations({
      identifier: "PayloadRetry",
      examples: [{ retried: 2 }],
    }),
  )
  .annotate(OpenApi.Summary, "Move all payloads of the dead-letter queue back into the queue")

const retry = HttpApiEndpoint.post("retry")`/payloads/${payloadIdParam}/retry`
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Move a payload of the dead-letter queue back into the queue")

/** Accepted payloads that could not be recorded; for admins only. */
export const PayloadsApi = HttpApiGroup.make("payloads")
  .add(list)
  .add(retryAll)
  .add(retry)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Accepted payloads that could not be recorded, for admins.")
