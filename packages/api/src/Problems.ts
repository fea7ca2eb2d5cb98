/** Makes problem documents. It loads neither their schemas nor HTTP. */
import type {
  BadRequest,
  Conflict,
  ContentTooLarge,
  Forbidden,
  InternalServerError,
  MethodNotAllowed,
  NotFound,
  Problem,
  ServiceUnavailable,
  SourcemapDiagnostics,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
  ValidationFailed,
} from "./ProblemSchemas.js"

export { problemMediaType } from "./ProblemMediaType.js"
export type * from "./ProblemSchemas.js"

// Types that start with a slash are relative to the instance's base URL, which only the server knows.
const blank = "about:blank"

/** Makes a problem that has no further fields. */
const plain =
  <P extends Problem>(_tag: P["_tag"], status: P["status"], title: string, type = blank) =>
  (detail: string) =>
    ({ _tag, type, title, status, detail }) as P

/** 401: there is no valid credential. */
export const unauthorized = plain<Unauthorized>("Unauthorized", 401, "Unauthorized", "/problems/unauthorized")

/** 403: the caller may not do this. */
export const forbidden = plain<Forbidden>("Forbidden", 403, "Forbidden", "/problems/forbidden")

/** 404: the resource does not exist, or the caller cannot see it. */
export const notFound = (detail: string, mergedIntoId: number | null = null): NotFound => ({
  _tag: "NotFound",
  type: blank,
  title: "Not Found",
  status: 404,
  detail,
  ...(mergedIntoId === null ? {} : { merged_into_id: mergedIntoId }),
})

/** 405: the path has no such method. */
export const methodNotAllowed = plain<MethodNotAllowed>("MethodNotAllowed", 405, "Method Not Allowed")

/** 400: the request cannot be read. */
export const badRequest = plain<BadRequest>("BadRequest", 400, "Bad Request")

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
export const contentTooLarge = plain<ContentTooLarge>("ContentTooLarge", 413, "Content Too Large")

/** 415: the body has a type that is not read. */
export const unsupportedMediaType = plain<UnsupportedMediaType>(
  "UnsupportedMediaType",
  415,
  "Unsupported Media Type",
)

/** Limits the size of the response: it counts the omitted messages and truncates long texts. */
export const validationFailed = (all: ValidationFailed["errors"]): ValidationFailed => {
  const { errors, leftOut } = bounded(all)
  const lines = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
  return {
    _tag: "ValidationFailed",
    type: "/problems/validation-error",
    title: "Validation Error",
    status: 422,
    detail: [...lines, ...(leftOut === 0 ? [] : [`and ${leftOut} more`])].join("; "),
    errors,
  }
}

/** 429: a limit by time is reached. */
export const tooManyRequests = plain<TooManyRequests>("TooManyRequests", 429, "Too Many Requests")

/** 500: an unexpected failure, with a correlation id for the log. */
export const internalServerError = (correlationId: string): InternalServerError => ({
  _tag: "InternalServerError",
  type: blank,
  title: "Internal Server Error",
  status: 500,
  correlation_id: correlationId,
})

/** 503: the storage is unreachable or full. */
export const serviceUnavailable = plain<ServiceUnavailable>("ServiceUnavailable", 503, "Service Unavailable")

// internal

const maxMessages = 25
const maxFieldLength = 100
const maxMessageLength = 500

const bounded = (all: ValidationFailed["errors"]) => {
  // A map first: fields are named by strangers, and one may be called `__proto__`.
  const errors = new Map<string, Array<string>>()
  let leftOut = 0
  let count = 0
  for (const [field, messages] of Object.entries(all)) {
    const room = messages.slice(0, maxMessages - count)
    count += room.length
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
