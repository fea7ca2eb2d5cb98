/** How calls fail. Nothing of the key and of bodies is in errors. */
import type * as Problem from "../Problem.js"

/** A problem document (RFC 9457), as the server sent it. */
export interface ProblemDocument {
  readonly type?: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly [member: string]: unknown
}

/** What the server's answers are told apart by; `Problem` where a later version has one that this one does not know. */
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

/** Every failure of a call, except an abort: that one rejects with the signal's reason. */
export abstract class ErrataError extends Error {
  /** Tells failures apart without `instanceof`, e.g. `NotFound`. */
  abstract readonly code: string
  /** The HTTP status of the answer; null where there was none. */
  abstract readonly status: number | null

  constructor(
    message: string,
    /** The method and the path of the request. */
    readonly request: string,
  ) {
    super(`${request} ${message}`)
    this.name = new.target.name
  }
}

/** The server refused or failed, and said why. */
export class ErrataApiError extends ErrataError {
  readonly code: ProblemCode = "Problem"
  readonly status: number

  constructor(
    request: string,
    readonly problem: ProblemDocument,
    /** The header as it came; null where there was none. */
    readonly retryAfter: string | null = null,
  ) {
    const { detail, status, title } = problem
    super(`received status ${status} ${title}${detail === undefined ? "" : `: ${detail}`}`, request)
    this.status = status
  }
}

/** No API key, or one that no active user has. */
export class UnauthorizedError extends ErrataApiError {
  override readonly code = "Unauthorized"
}

/** What is asked for exists, but not for this caller. */
export class ForbiddenError extends ErrataApiError {
  override readonly code = "Forbidden"
}

/** What is asked for does not exist. */
export class NotFoundError extends ErrataApiError {
  override readonly code = "NotFound"

  /** Where the group asked for was merged into another: that one's id. */
  get mergedIntoId(): number | null {
    const id = this.problem["merged_into_id"]
    return typeof id === "number" ? id : null
  }
}

/** The path knows other methods. */
export class MethodNotAllowedError extends ErrataApiError {
  override readonly code = "MethodNotAllowed"
}

/** The body is not JSON. */
export class BadRequestError extends ErrataApiError {
  override readonly code = "BadRequest"
}

/** It cannot be done as things stand. */
export class ConflictError extends ErrataApiError {
  override readonly code = "Conflict"
}

/** The body is larger than 1 MiB. */
export class ContentTooLargeError extends ErrataApiError {
  override readonly code = "ContentTooLarge"
}

/** The body has another media type than JSON. */
export class UnsupportedMediaTypeError extends ErrataApiError {
  override readonly code = "UnsupportedMediaType"
}

/** The input breaks a rule; nothing was changed. */
export class ValidationError extends ErrataApiError {
  override readonly code = "ValidationFailed"

  /** Messages by field. */
  get errors(): Readonly<Record<string, ReadonlyArray<string>>> {
    return (this.problem["errors"] ?? {}) as Readonly<Record<string, ReadonlyArray<string>>>
  }
}

/** More requests than the server takes, also after the retries. */
export class TooManyRequestsError extends ErrataApiError {
  override readonly code = "TooManyRequests"
}

/** Something failed that should not have; the id finds the cause in the server's log. */
export class InternalServerError extends ErrataApiError {
  override readonly code = "InternalServerError"

  get correlationId(): string | null {
    const id = this.problem["correlation_id"]
    return typeof id === "string" ? id : null
  }
}

/** The server's storage cannot be reached, also after the retries. */
export class ServiceUnavailableError extends ErrataApiError {
  override readonly code = "ServiceUnavailable"
}

/** There was no answer: no connection, one that broke, or none in time. */
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

/** The answer is not one of the API: that of a proxy in between, or of another server or version. */
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

/** The error of a problem document. */
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
