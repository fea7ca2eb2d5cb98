/** What a call's failure means to the person who ran the command: one line, what to do, and an exit status. */
import type { Problem } from "@errata/api"
import type { ConnectionFailed, UnexpectedAnswer } from "@errata/api/client"
import { CommandFailed, type ExitCode, exitCodes, sentences } from "../ErrorOutput.js"
import { ReaderGone } from "./Output.js"

/** How any call may fail. */
export type Failure = Problem.Problem | ConnectionFailed | UnexpectedAnswer

export const commandFailed = (failure: Failure, url: string): CommandFailed => {
  const [message, exitCode] = explain(failure, url)
  return new CommandFailed({ message, exitCode })
}

/** Failures of commands go as they are; those of the API are explained. */
export const explained =
  (url: string) =>
  (failure: Failure | CommandFailed | ReaderGone): CommandFailed | ReaderGone =>
    failure instanceof CommandFailed || failure instanceof ReaderGone ? failure : commandFailed(failure, url)

// internal

const explain = (failure: Failure, url: string): readonly [message: string, exitCode: ExitCode] => {
  switch (failure._tag) {
    case "Unauthorized":
      return [
        `${url} does not accept the API key. Log in with another one (errata login), or check ERRATA_API_KEY.`,
        exitCodes.denied,
      ]
    case "Forbidden":
      return [`Not allowed: ${failure.detail ?? failure.title}`, exitCodes.denied]
    case "NotFound":
      return [
        failure.merged_into_id === undefined
          ? `Not found: ${failure.detail ?? failure.title}`
          : `The group was merged into another: errata groups get ${failure.merged_into_id}`,
        exitCodes.notFound,
      ]
    case "ValidationFailed":
      return [`The server refuses this: ${sentences(failure)}`, exitCodes.invalid]
    case "BadRequest":
    case "Conflict":
    case "ContentTooLarge":
    case "UnsupportedMediaType":
      return [`The server refuses this: ${failure.detail ?? failure.title}`, exitCodes.invalid]
    case "TooManyRequests":
      return [`${url} has had too many requests. Try again in a while.`, exitCodes.unavailable]
    case "ServiceUnavailable":
      return [
        `${url} cannot answer at the moment: ${failure.detail ?? failure.title}. Try again in a while.`,
        exitCodes.unavailable,
      ]
    case "ConnectionFailed":
      return [
        `${url} cannot be reached: ${failure.detail}. Is the address right, and the server running?`,
        exitCodes.unavailable,
      ]
    case "InternalServerError":
      return [`The server failed. Its log has the cause under ${failure.correlation_id}.`, exitCodes.failed]
    case "MethodNotAllowed":
    case "UnexpectedAnswer":
      return [
        `${url} does not answer like Errata: ${failure._tag === "UnexpectedAnswer" ? failure.message : failure.title}. Is the address right?`,
        exitCodes.failed,
      ]
  }
}
