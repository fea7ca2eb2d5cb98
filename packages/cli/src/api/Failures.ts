/** Explains a failed request to the user: one line with the next step, and an exit status. */
import type { Problem } from "@errata/api"
import type { ConnectionFailed, UnexpectedAnswer } from "@errata/api/client"
import { CommandFailed, type ExitCode, exitCodes, sentences } from "../ErrorOutput.js"
import { ReaderGone } from "./Output.js"

/** Failures of every request. */
export type Failure = Problem.Problem | ConnectionFailed | UnexpectedAnswer

export const commandFailed = (failure: Failure, url: string): CommandFailed => {
  const [message, exitCode] = explain(failure, url)
  return new CommandFailed({ message, exitCode })
}

/** Passes failures of commands on, and explains failures of the API. */
export const explained =
  (url: string) =>
  (failure: Failure | CommandFailed | ReaderGone): CommandFailed | ReaderGone =>
    failure instanceof CommandFailed || failure instanceof ReaderGone ? failure : commandFailed(failure, url)

// internal

const explain = (failure: Failure, url: string): readonly [message: string, exitCode: ExitCode] => {
  switch (failure._tag) {
    case "Unauthorized":
      return [
        `${url} rejected the API key. Log in with another key (errata login), or check ERRATA_API_KEY.`,
        exitCodes.denied,
      ]
    case "Forbidden":
      return [`Not allowed: ${failure.detail ?? failure.title}`, exitCodes.denied]
    case "NotFound":
      return [
        failure.merged_into_id === undefined
          ? `Not found: ${failure.detail ?? failure.title}`
          : `The group was merged into group ${failure.merged_into_id}. Run errata groups get ${failure.merged_into_id}.`,
        exitCodes.notFound,
      ]
    case "ValidationFailed":
      return [`The server rejected the request: ${sentences(failure)}`, exitCodes.invalid]
    case "BadRequest":
    case "Conflict":
    case "ContentTooLarge":
    case "UnsupportedMediaType":
      return [`The server rejected the request: ${failure.detail ?? failure.title}`, exitCodes.invalid]
    case "TooManyRequests":
      return [`${url} received too many requests. Try again later.`, exitCodes.unavailable]
    case "ServiceUnavailable":
      return [
        `${url} is unavailable: ${failure.detail ?? failure.title}. Try again later.`,
        exitCodes.unavailable,
      ]
    case "ConnectionFailed":
      return [
        `${url} is unreachable: ${failure.detail}. Check the address, and check that the server runs.`,
        exitCodes.unavailable,
      ]
    case "InternalServerError":
      return [`The server failed. Search its log for ${failure.correlation_id}.`, exitCodes.failed]
    case "MethodNotAllowed":
    case "UnexpectedAnswer":
      return [
        `${url} does not respond like an Errata server: ${failure._tag === "UnexpectedAnswer" ? failure.message : failure.title}. Check the address.`,
        exitCodes.failed,
      ]
  }
}
