/**
 * Problem documents (RFC 9457): how every failure is answered. Each kind carries a `_tag` for those who handle it;
 * on the wire it is told by its status.
 */

import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { described } from "./Json.js"
import { optionalSourcemapFields, sourcemapFields } from "./SourcemapFields.js"

/** The media type of problem documents. */
export const problemMediaType = "application/problem+json"

/** Of a report whose frames could not be mapped anew. */
export interface SourcemapDiagnostics extends Schema.Struct.Type<typeof sourcemapFields> {}

/** No API key, or one that no active user has. */
export const Unauthorized = problem(
  "Unauthorized",
  401,
  {
    type: "https://errata.example.com/problems/unauthorized",
    title: "Unauthorized",
    detail: "Missing API key",
  },
  {},
)
export type Unauthorized = typeof Unauthorized.Type

/** What is asked for exists, but not for this caller. */
export const Forbidden = problem(
  "Forbidden",
  403,
  {
    type: "https://errata.example.com/problems/forbidden",
    title: "Forbidden",
    detail: "You are not allowed to do this (projects.create)",
  },
  {},
)
export type Forbidden = typeof Forbidden.Type

/** What is asked for does not exist. */
export const NotFound = problem(
  "NotFound",
  404,
  { type: "about:blank", title: "Not Found", detail: "No such group" },
  {
    merged_into_id: described(
      "If the group was merged: the id of the group that contains it",
      Schema.optionalKey(Schema.Int),
    ),
  },
)
export type NotFound = typeof NotFound.Type

/** The path knows other methods; `Allow` lists them. */
export const MethodNotAllowed = problem(
  "MethodNotAllowed",
  405,
  { type: "about:blank", title: "Method Not Allowed", detail: "POST is not allowed here" },
  {},
)
export type MethodNotAllowed = typeof MethodNotAllowed.Type

/** The body is not JSON. */
export const BadRequest = problem(
  "BadRequest",
  400,
  { type: "about:blank", title: "Bad Request", detail: "The body is not valid JSON" },
  {},
)
export type BadRequest = typeof BadRequest.Type

/** It cannot be done as things stand; of a report, that there is nothing its frames could be mapped by. */
export const Conflict = problem(
  "Conflict",
  409,
  {
    type: "about:blank",
    title: "Conflict",
    detail: "No source map was uploaded for the report's scripts, and their origins are not authorized",
    sourcemap_status: "not_found",
    sourcemap_failure_code: "artifact_not_uploaded",
    sourcemap_attempted_at: null,
  },
  sourcemapFields,
)
export type Conflict = typeof Conflict.Type

/** The body is larger than 1 MiB. */
export const ContentTooLarge = problem(
  "ContentTooLarge",
  413,
  { type: "about:blank", title: "Content Too Large", detail: "The body is larger than 1048576 bytes" },
  {},
)
export type ContentTooLarge = typeof ContentTooLarge.Type

/** The body has another media type than JSON. */
export const UnsupportedMediaType = problem(
  "UnsupportedMediaType",
  415,
  { type: "about:blank", title: "Unsupported Media Type", detail: "The body must be application/json" },
  {},
)
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

/** What can be wrong with a request that has a body. */
export const bodyProblems = [BadRequest, ContentTooLarge, UnsupportedMediaType, ValidationFailed] as const

/** More requests than the server takes; trying again after `Retry-After` helps. */
export const TooManyRequests = problem(
  "TooManyRequests",
  429,
  { type: "about:blank", title: "Too Many Requests", detail: "Try again later" },
  {},
)
export type TooManyRequests = typeof TooManyRequests.Type

/** Something failed that should not have; the id finds the cause in the server's log. */
export const InternalServerError = problem(
  "InternalServerError",
  500,
  {
    type: "about:blank",
    title: "Internal Server Error",
    correlation_id: "0b7f1a52-5d0c-4f0e-9f35-3c1f0e9a7d11",
  },
  {
    correlation_id: described("Search the server's log for this id", Schema.String),
  },
)
export type InternalServerError = typeof InternalServerError.Type

/** The storage cannot be reached; trying again after `Retry-After` may help. */
export const ServiceUnavailable = problem(
  "ServiceUnavailable",
  503,
  {
    type: "about:blank",
    title: "Service Unavailable",
    detail: "The storage is unavailable. Try again later",
  },
  optionalSourcemapFields,
)
export type ServiceUnavailable = typeof ServiceUnavailable.Type

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

// Types that start with a slash are relative to the instance's base URL, which only the server knows.
const blank = "about:blank"

/** 401: there is no valid credential. */
export const unauthorized = (detail: string): Unauthorized => ({
  _tag: "Unauthorized",
  type: "/problems/unauthorized",
  title: "Unauthorized",
  status: 401,
  detail,
})

/** 403: the caller may not do this. */
export const forbidden = (detail: string): Forbidden => ({
  _tag: "Forbidden",
  type: "/problems/forbidden",
  title: "Forbidden",
  status: 403,
  detail,
})

/** 404: nothing is there, or nothing that the caller may see. */
export const notFound = (detail: string, mergedIntoId: number | null = null): NotFound => ({
  _tag: "NotFound",
  type: blank,
  title: "Not Found",
  status: 404,
  detail,
  ...(mergedIntoId === null ? {} : { merged_into_id: mergedIntoId }),
})

/** 405: the path has no such method. */
export const methodNotAllowed = (detail: string): MethodNotAllowed => ({
  _tag: "MethodNotAllowed",
  type: blank,
  title: "Method Not Allowed",
  status: 405,
  detail,
})

/** 400: the request cannot be read. */
export const badRequest = (detail: string): BadRequest => ({
  _tag: "BadRequest",
  type: blank,
  title: "Bad Request",
  status: 400,
  detail,
})

/** 409: the state of the thing does not allow it. */
export const conflict = (detail: string, diagnostics: SourcemapDiagnostics): Conflict => ({
  _tag: "Conflict",
  type: blank,
  title: "Conflict",
  status: 409,
  detail,
  ...diagnostics,
})

/** 413: the body is over its limit. */
export const contentTooLarge = (detail: string): ContentTooLarge => ({
  _tag: "ContentTooLarge",
  type: blank,
  title: "Content Too Large",
  status: 413,
  detail,
})

/** 415: the body has a type that is not read. */
export const unsupportedMediaType = (detail: string): UnsupportedMediaType => ({
  _tag: "UnsupportedMediaType",
  type: blank,
  title: "Unsupported Media Type",
  status: 415,
  detail,
})

/** However much is wrong, the answer stays short: it says how many messages it leaves out, and long texts end early. */
export const validationFailed = (all: ValidationFailed["errors"]): ValidationFailed => {
  const { errors, leftOut } = bounded(all)
  const told = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
  return {
    _tag: "ValidationFailed",
    type: "/problems/validation-error",
    title: "Validation Error",
    status: 422,
    detail: [...told, ...(leftOut === 0 ? [] : [`and ${leftOut} more`])].join("; "),
    errors,
  }
}

/** 429: a limit by time is reached. */
export const tooManyRequests = (detail: string): TooManyRequests => ({
  _tag: "TooManyRequests",
  type: blank,
  title: "Too Many Requests",
  status: 429,
  detail,
})

/** 500: an unexpected failure, with a correlation id for the log. */
export const internalServerError = (correlationId: string): InternalServerError => ({
  _tag: "InternalServerError",
  type: blank,
  title: "Internal Server Error",
  status: 500,
  correlation_id: correlationId,
})

/** 503: the storage cannot be reached, or cannot take more. */
export const serviceUnavailable = (detail: string): ServiceUnavailable => ({
  _tag: "ServiceUnavailable",
  type: blank,
  title: "Service Unavailable",
  status: 503,
  detail,
})

// internal

const maxMessages = 25
const maxFieldLength = 100
const maxMessageLength = 500

const bounded = (all: ValidationFailed["errors"]) => {
  // A map first: fields are named by strangers, and one may be called `__proto__`.
  const errors = new Map<string, Array<string>>()
  let leftOut = 0
  let told = 0
  for (const [field, messages] of Object.entries(all)) {
    const room = messages.slice(0, maxMessages - told)
    told += room.length
    leftOut += messages.length - room.length
    if (room.length === 0) continue
    const name = shortened(field, maxFieldLength)
    const shown = room.map((message) => shortened(message, maxMessageLength))
    errors.set(name, [...(errors.get(name) ?? []), ...shown])
  }
  return { errors: Object.fromEntries(errors), leftOut }
}

const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : // A pair of surrogates is not torn apart.
      `${text.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, "")}…`

function problem<const Tag extends string, Status extends number, Fields extends Schema.Struct.Fields>(
  tag: Tag,
  status: Status,
  example: object,
  fields: Fields,
) {
  return Schema.Struct({
    _tag: Schema.tagDefaultOmit(tag),
    type: described("`{base_url}/problems/...`, or `about:blank` if the status is sufficient", Schema.String),
    title: described("Short description of the problem type", Schema.String),
    status: described("HTTP status", Schema.Literal(status)),
    detail: described("Description of this occurrence", Schema.optionalKey(Schema.String)),
    ...fields,
  })
    .annotate({ identifier: tag, examples: [{ ...example, status } as never], httpApiStatus: status })
    .pipe(HttpApiSchema.asJson({ contentType: problemMediaType }))
}
