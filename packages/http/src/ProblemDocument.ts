/** Problem documents as every part of the server sends them. */
import type { Problem } from "@errata/api"

/** The document of a problem as JSON, with its type made absolute. */
export const documentOf = (problem: Problem.Problem, baseUrl: string): string => {
  const { _tag, type, ...rest } = problem
  return JSON.stringify({ type: type.startsWith("/") ? baseUrl + type : type, ...rest })
}

export const headersOf = (problem: Problem.Problem): Readonly<Record<string, string>> => {
  switch (problem._tag) {
    case "Unauthorized":
      return { "www-authenticate": "Bearer" }
    // The same pause as after a rate-limited event.
    case "TooManyRequests":
      return { "retry-after": "60" }
    case "ServiceUnavailable":
      return { "retry-after": retryAfterSeconds }
    default:
      return {}
  }
}

// internal

const retryAfterSeconds = "5"
