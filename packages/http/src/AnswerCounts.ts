/** Counts responses: to SDKs by reason, others by status and duration. */
import { Instruments } from "@errata/core/internal"
import type { IngestAnswer } from "./IngestAnswer.js"

/** The reason is Errata's error code, or the status without one. */
export const countAnswer = ({ headers, status }: IngestAnswer): void => {
  if (status === 200) Instruments.ingestAccepted(1)
  // 204 responds to CORS preflights, which are not counted.
  else if (status !== 204) Instruments.ingestRefused(headers["x-sentry-error"] ?? `status_${status}`)(1)
}

/** Starts to time a request of a client that is no SDK. Call the returned function with the response's status. */
export const timeRequest = (): ((status: number) => void) => {
  const began = performance.now()
  return (status) =>
    Instruments.httpRequests(`${Math.floor(status / 100)}xx`)((performance.now() - began) / 1000)
}
