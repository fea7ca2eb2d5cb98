/** Reads the rate limits of a server from the headers of its response. */

/** Returns milliseconds; 0 if the server accepts more. */
export const pauseOf = ({ headers, status }: Response, now: number): number => {
  const limits = headers.get("x-sentry-rate-limits")
  if (limits !== null) return bounded(Math.max(...limits.split(",").map(limitOf)))
  if (status !== 429 && status !== 503) return 0
  const after = retryAfter(headers.get("retry-after") ?? "", now)
  return bounded(after ?? (status === 429 ? defaultMillis : 0))
}

// internal

const defaultMillis = 60_000
const maxMillis = 3_600_000

const bounded = (millis: number): number => Math.min(Math.max(millis, 0), maxMillis)

/** Reads a limit like `60:error;transaction:organization`: seconds, categories, scope. Without categories, it is for all. */
const limitOf = (limit: string): number => {
  const [seconds = "", categories = ""] = limit.trim().split(":")
  const isOfErrors = categories === "" || categories.split(";").includes("error")
  return isOfErrors && Number.isFinite(Number(seconds)) ? Number(seconds) * 1000 : 0
}

/** Seconds or a date. */
const retryAfter = (text: string, now: number): number | undefined => {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date - now
}
