/** Converts failures of pages and OAuth to responses. */
import { randomUUID } from "node:crypto"
import { Problem } from "@errata/api"
import type { StorageError } from "@errata/core"
import { absentPart, StorageOutage } from "@errata/core/internal"
import { Cause, Effect, Option } from "effect"
import * as OAuthEndpoints from "../oauth/OAuthEndpoints.js"
import { html } from "../site/Html.js"
import { problem } from "../site/ProblemAnswer.js"
import type { SiteError } from "../site/SiteHandler.js"
import type { SiteAnswer, SiteRequest } from "../site/SiteRequest.js"
import { message } from "./Messages.js"

/** The reader of the response: a user in a browser, an OAuth client, or a script of our own pages. */
export type Reader = "person" | "client" | "script"

export const failed = (
  request: SiteRequest,
  reader: Reader,
  cause: Cause.Cause<SiteError>,
): Effect.Effect<SiteAnswer> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return broken(request, reader, cause)
  const error = failure.value
  switch (error._tag) {
    case "StorageError":
      return storageFailure(request, reader, cause, error)
    case "NoAccount":
      return Effect.succeed(
        refused(
          request,
          reader,
          "You have no account here",
          `You are signed in as ${error.emailAddress}, but Errata has no active user with this email address. Ask an admin to create one.`,
        ),
      )
    case "AccessDenied":
      return Effect.succeed(
        refused(request, reader, "Not allowed", `You are not allowed to do this (${error.rule}).`),
      )
    default:
      return Effect.succeed(formFailure(request, error))
  }
}

// internal

type FormError = Extract<SiteError, { readonly _tag: "ForeignForm" | "NotAForm" | "BodyRejected" }>

const formFailure = (request: SiteRequest, error: FormError): SiteAnswer => {
  if (error._tag !== "BodyRejected") {
    return message(
      request,
      403,
      "The form was rejected",
      html`The form expired, or your browser does not accept cookies. Open ${request.baseUrl} again and send the form from there.`,
    )
  }
  return error.reason === "too_large"
    ? message(request, 413, "The form is too large", html`The server rejected the form because of its size.`)
    : message(request, 400, "The form did not arrive completely", html`Send it again.`)
}

const refused = (request: SiteRequest, reader: Reader, title: string, text: string): SiteAnswer =>
  reader === "script"
    ? problem(request, Problem.forbidden(text))
    : message(request, 403, title, html`${text}`)

const storageFailure = (
  request: SiteRequest,
  reader: Reader,
  cause: Cause.Cause<unknown>,
  error: StorageError,
): Effect.Effect<SiteAnswer> => {
  const part = absentPart(error)
  if (part !== null)
    return Effect.succeed(unsupported(request, reader, `The storage does not support ${part}`))
  return error.reason === "rejected" ? broken(request, reader, cause) : unavailable(request, reader, cause)
}

const unsupported = (request: SiteRequest, reader: Reader, text: string): SiteAnswer => {
  switch (reader) {
    case "client":
      return OAuthEndpoints.json(400, { error: "invalid_request", error_description: text })
    case "script":
      return problem(request, Problem.forbidden(text))
    case "person":
      return message(request, 403, "Not supported", html`${text}.`)
  }
}

const broken = (request: SiteRequest, reader: Reader, cause: Cause.Cause<unknown>) => {
  const correlationId = randomUUID()
  const log = Effect.annotateLogs(Effect.logError("Request failed", cause), {
    correlation_id: correlationId,
    path: request.path,
  })
  return Effect.as(log, brokenAnswer(request, reader, correlationId))
}

const brokenAnswer = (request: SiteRequest, reader: Reader, correlationId: string): SiteAnswer => {
  switch (reader) {
    case "client":
      return OAuthEndpoints.json(500, { error: "server_error" })
    case "script":
      return problem(request, Problem.internalServerError(correlationId))
    case "person":
      return message(
        request,
        500,
        "The request failed",
        html`This is an error in Errata. The server's log has the details (${correlationId}).`,
      )
  }
}

const unavailable = (request: SiteRequest, reader: Reader, cause: Cause.Cause<unknown>) =>
  Effect.as(
    Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
      outage.logFailure("The storage is unavailable", cause),
    ),
    unavailableAnswer(request, reader),
  )

const unavailableAnswer = (request: SiteRequest, reader: Reader): SiteAnswer => {
  const headers = { "retry-after": "5" }
  switch (reader) {
    case "client":
      return OAuthEndpoints.json(503, { error: "temporarily_unavailable" }, headers)
    case "script":
      return problem(request, Problem.serviceUnavailable("The storage is unavailable"))
    case "person":
      return message(
        request,
        503,
        "Temporarily unavailable",
        html`The database is unreachable. Try again later.`,
        headers,
      )
  }
}
