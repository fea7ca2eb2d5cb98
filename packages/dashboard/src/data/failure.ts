/** Describes a failed call to the reader. */
import { ErrataApiError, ErrataError } from "@errata/api/promise"

/** One sentence with the problem's detail. */
export const describe = (error: unknown): string => {
  if (error instanceof ErrataApiError) return sentence(error.problem.detail ?? error.problem.title)
  if (error instanceof ErrataError) return "The server was not reached."
  return error instanceof Error ? sentence(error.message) : "An unknown error occurred."
}

/** The id of the failure in the server's log; null if it has none. */
export const correlationId = (error: unknown): string | null => {
  const id = error instanceof ErrataApiError ? error.problem["correlation_id"] : null
  return typeof id === "string" ? id : null
}

/** True if the resource does not exist, or the caller may not see it. */
export const isMissing = (error: unknown): boolean => error instanceof ErrataApiError && error.status === 404

// internal

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
