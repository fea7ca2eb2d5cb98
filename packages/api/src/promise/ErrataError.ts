/** Errors of calls. They contain no keys and no bodies. */
import type * as Problem from "../Problem.js"

/** A problem document (RFC 9457), as the server sent it. */
export interface ProblemDocument {
  readonly type?: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly [member: string]: unknown
}

/** Identifies the problem. `Problem` stands for codes that this version of the client does not know. */
export type ProblemCode =
  | "BadRequest"
  | "Conflict"
  | "ContentTooLarge"
  | "Forbidden"
  | "InternalServerError"
  | "MethodNotAllowed"
  | "NotFound"
  | "Problem"
  | "ServiceUnavailable"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnsupportedMediaType"
  | "ValidationFailed"

/** Base class of the errors of a call. An aborted call rejects with the signal's reason instead. */
export abstract class ErrataError extends Error {
  /** Identifies the error without `instanceof`, e.g. `NotFound`. */
  abstract readonly code: string
  /** HTTP status of the response, or null without one. */
  abstract readonly status: number | null

  constructor(
    message: string,
    /** Method and path of the request. */
    readonly request: string,
  ) {
    super(`${request} ${message}`)
    this.name = new.target.name
  }
}

/** The server responded with a problem document. */
export class ErrataApiError extends ErrataError {
  readonly code: ProblemCode = "Problem"
  readonly status: number

  constructor(
    request: string,
    readonly problem: ProblemDocument,
    /** The `Retry-After` header, or null without one. */
    readonly retryAfter: string | null = null,
  ) {
    const { detail, status, title } = problem
    super(`received status ${status} ${title}${detail === undefined ? "" : `: ${detail}`}`, request)
    this.status = status
  }
}

/** The API key is missing, unknown, or belongs to an inactive user. */
export class UnauthorizedError extends ErrataApiError {
  override readonly code = "Unauthorized"
}

/** The caller has no permission. */
export class ForbiddenError extends ErrataApiError {
  override readonly code = "Forbidden"
}

/** The resource does not exist. */
export class NotFoundError extends ErrataApiError {
  override readonly code = "NotFound"

  /** If the group was merged: the id of the group that contains it now. */
  get mergedIntoId(): number | null {
    const id = this.problem["merged_into_id"]
    return typeof id === "number" ? id : null
  }
}

/** The path does not support the method. */
export class MethodNotAllowedError extends ErrataApiError {
  override readonly code = "MethodNotAllowed"
}

/** The body is not JSON. */
export class BadRequestError extends ErrataApiError {
  override readonly code = "BadRequest"
}

/** The request conflicts with the current state. */
export class ConflictError extends ErrataApiError {
  override readonly code = "Conflict"
}

/** The body is larger than 1 MiB. */
export class ContentTooLargeError extends ErrataApiError {
  override readonly code = "ContentTooLarge"
}

/** The body is not JSON by its media type. */
export class UnsupportedMediaTypeError extends ErrataApiError {
  override readonly code = "UnsupportedMediaType"
}

/** The input is invalid. Nothing was changed. */
export class ValidationError extends ErrataApiError {
  override readonly code = "ValidationFailed"

  /** Messages by field. */
  get errors(): Readonly<Record<string, ReadonlyArray<string>>> {
    return (this.problem["errors"] ?? {}) as Readonly<Record<string, ReadonlyArray<string>>>
  }
}

/** The server still throttles the caller after the retries. */
export class TooManyRequestsError extends ErrataApiError {
  override readonly code = "TooManyRequests"
}

/** An unexpected failure. `correlationId` finds the cause in the server's log. */
export class InternalServerError extends ErrataApiError {
  override readonly code = "InternalServerError"

  get correlationId(): string | null {
    const id = this.problem["correlation_id"]
    return typeof id === "string" ? id : null
  }
}

/** The server's storage is still unreachable after the retries. */
export class ServiceUnavailableError extends ErrataApiError {
  override readonly code = "ServiceUnavailable"
}

/** No response was received: the connection failed, broke, or timed out. */
export class ConnectionFailedError extends ErrataError {
  readonly code = "ConnectionFailed"
  readonly status = null

  constructor(
    request: string,
    readonly reason: "transport" | "timeout",
    detail: string,
  ) {
    super(`received no response: ${detail}`, request)
  }
}

/** The response is not from the API. It comes from a proxy, or from another server or version. */
export class UnexpectedAnswerError extends ErrataError {
  readonly code = "UnexpectedAnswer"

  constructor(
    request: string,
    readonly status: number,
    readonly contentType: string | null,
    detail: string,
  ) {
    super(`received status ${status} (${contentType ?? "no content type"}): ${detail}`, request)
  }
}

/** Returns the error for a problem document. */
export const errorOf = (
  request: string,
  problem: ProblemDocument,
  retryAfter: string | null,
): ErrataApiError =>
  new (isKnown(problem.status) ? classes[problem.status] : ErrataApiError)(request, problem, retryAfter)

// internal

type Classes = {
  readonly [P in Problem.Problem as P["status"]]: new (
    ...args: ConstructorParameters<typeof ErrataApiError>
  ) => ErrataApiError & { readonly code: P["_tag"] }
}

const classes: Classes = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  413: ContentTooLargeError,
  415: UnsupportedMediaTypeError,
  422: ValidationError,
  429: TooManyRequestsError,
  500: InternalServerError,
  503: ServiceUnavailableError,
}

const isKnown = (status: number): status is keyof Classes => Object.hasOwn(classes, status)
