/**
 * Schemas of problem documents (RFC 9457), the responses of all failures. Each kind has a `_tag` for handlers; on the
 * wire, the status identifies it.
 */

import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { text } from "./Fields.js"
import { described } from "./Json.js"
import { problemMediaType } from "./ProblemMediaType.js"
import { optionalSourcemapFields, sourcemapFields } from "./SourcemapFields.js"

/** Details of a report whose frames could not be mapped again. */
export interface SourcemapDiagnostics extends Schema.Struct.Type<typeof sourcemapFields> {}

/** No API key, or one that no active user has. */
export const Unauthorized = problem("Unauthorized", 401, {
  type: "https://errata.example.com/problems/unauthorized",
  detail: "Missing API key",
})
export type Unauthorized = typeof Unauthorized.Type

/** The resource exists, but not for this caller. */
export const Forbidden = problem("Forbidden", 403, {
  type: "https://errata.example.com/problems/forbidden",
  detail: "You are not allowed to do this (projects.create)",
})
export type Forbidden = typeof Forbidden.Type

/** The resource does not exist. */
export const NotFound = problem(
  "NotFound",
  404,
  { detail: "No such group" },
  {
    merged_into_id: described(
      "If the group was merged: the id of the group that contains it",
      Schema.optionalKey(Schema.Int),
    ),
  },
)
export type NotFound = typeof NotFound.Type

/** The path knows other methods; `Allow` lists them. */
export const MethodNotAllowed = problem("MethodNotAllowed", 405, { detail: "POST is not allowed here" })
export type MethodNotAllowed = typeof MethodNotAllowed.Type

/** The body is not JSON. */
export const BadRequest = problem("BadRequest", 400, { detail: "The body is not valid JSON" })
export type BadRequest = typeof BadRequest.Type

/** The request conflicts with the current state. For a report: there is no source map for its frames. */
export const Conflict = problem(
  "Conflict",
  409,
  {
    detail: "No source map was uploaded for the report's scripts, and their origins are not authorized",
    sourcemap_status: "not_found",
    sourcemap_failure_code: "artifact_not_uploaded",
    sourcemap_attempted_at: null,
  },
  sourcemapFields,
)
export type Conflict = typeof Conflict.Type

/** The body is larger than 1 MiB. */
export const ContentTooLarge = problem("ContentTooLarge", 413, {
  detail: "The body is larger than 1048576 bytes",
})
export type ContentTooLarge = typeof ContentTooLarge.Type

/** The body has another media type than JSON. */
export const UnsupportedMediaType = problem("UnsupportedMediaType", 415, {
  detail: "The body must be application/json",
})
export type UnsupportedMediaType = typeof UnsupportedMediaType.Type

/** The input breaks a rule; nothing was changed. */
export const ValidationFailed = problem(
  "ValidationFailed",
  422,
  {
    type: "https://errata.example.com/problems/validation-error",
    title: "Validation Error",
    detail: "limit must be a positive integer",
    errors: { limit: ["must be a positive integer"] },
  },
  {
    errors: described(
      "Messages by field. `base` stands for the whole request",
      Schema.Record(Schema.String, Schema.Array(Schema.String)),
    ),
    ...optionalSourcemapFields,
  },
)
export type ValidationFailed = typeof ValidationFailed.Type

/** The problems of a request that has a body. */
export const bodyProblems = [BadRequest, ContentTooLarge, UnsupportedMediaType, ValidationFailed] as const

/** Too many requests. Retry after `Retry-After`. */
export const TooManyRequests = problem("TooManyRequests", 429, { detail: "Try again later" })
export type TooManyRequests = typeof TooManyRequests.Type

/** Something failed that should not have; the id finds the cause in the server's log. */
export const InternalServerError = problem(
  "InternalServerError",
  500,
  {
    correlation_id: "0b7f1a52-5d0c-4f0e-9f35-3c1f0e9a7d11",
  },
  {
    correlation_id: text("Search the server's log for this id"),
  },
)
export type InternalServerError = typeof InternalServerError.Type

/** The storage cannot be reached; trying again after `Retry-After` may help. */
export const ServiceUnavailable = problem(
  "ServiceUnavailable",
  503,
  {
    detail: "The storage is unavailable. Try again later",
  },
  optionalSourcemapFields,
)
export type ServiceUnavailable = typeof ServiceUnavailable.Type

/** The problems of a request about the instance. */
export const instanceProblems = [Forbidden, InternalServerError, ServiceUnavailable] as const

/** The problems of a request about a resource that may not exist. */
export const resourceProblems = [Forbidden, NotFound, InternalServerError, ServiceUnavailable] as const

/** Any problem document. */
export type Problem =
  | Unauthorized
  | Forbidden
  | NotFound
  | MethodNotAllowed
  | BadRequest
  | Conflict
  | ContentTooLarge
  | UnsupportedMediaType
  | ValidationFailed
  | TooManyRequests
  | InternalServerError
  | ServiceUnavailable

// internal

function problem<
  const Tag extends string,
  Status extends number,
  Fields extends Schema.Struct.Fields = Record<never, never>,
>(
  tag: Tag,
  status: Status,
  /** The fields that differ from those of most problems. */
  example: object,
  fields: Fields = {} as Fields,
) {
  const title = tag.replace(/(?<=[a-z])(?=[A-Z])/g, " ")
  return Schema.Struct({
    _tag: Schema.tagDefaultOmit(tag),
    type: text("`{base_url}/problems/...`, or `about:blank` if the status is sufficient"),
    title: text("Short description of the problem type"),
    status: described("HTTP status", Schema.Literal(status)),
    detail: described("Description of this occurrence", Schema.optionalKey(Schema.String)),
    ...fields,
  })
    .annotate({
      identifier: tag,
      examples: [{ type: "about:blank", title, ...example, status } as never],
      httpApiStatus: status,
    })
    .pipe(HttpApiSchema.asJson({ contentType: problemMediaType }))
}
