/** Counts what was answered: to SDKs by reason, to all others by status and time. */
import { Instruments } from "@errata/core/internal"
import type { IngestAnswer } from "./IngestAnswer.js"

/** Reasons are Errata's own words; what has none has its status. */
export const countAnswer = ({ headers, status }: IngestAnswer): void => {
  if (status === 200) Instruments.ingestAccepted(1)
  // What browsers ask before they send is neither.
  else if (status !== 204) Instruments.ingestRefused(headers["x-sentry-error"] ?? `status_${status}`)(1)
}

/** Begins to time a request that is none of an SDK; the answer's status is told at its end. */
export const timeRequest = (): ((status: number) => void) => {
  const began = performance.now()
  return (status) =>
    Instruments.httpRequests(`${Math.floor(status / 100)}xx`)((performance.now() - began) / 1000)
}
