/** Describes how a delivery went. */
import type { Delivery } from "@errata/api/promise"
import { counted } from "../../text/Numbers.js"

type Result = Pick<Delivery, "response_status" | "error" | "duration_ms" | "attempts"> & {
  readonly status: Delivery["status"] | "throttled"
}

/** The state in one word, and its color. */
export const stateOf = ({ status, attempts }: Pick<Delivery, "status" | "attempts">) => {
  if (status === "succeeded") return { text: "Delivered", tone: "ok" } as const
  if (status === "failed") return { text: "Failed", tone: "bad" } as const
  return attempts === 0
    ? ({ text: "Waiting", tone: "" } as const)
    : ({ text: "Retrying", tone: "warn" } as const)
}

/** Returns a sentence, e.g. `The receiver responded with 410 after 85 ms, at attempt 3.` */
export const outcomeOf = ({
  attempts,
  duration_ms: duration,
  error,
  response_status,
  status,
}: Result): string => {
  if (attempts === 0 && status === "pending") return "Waiting for the first attempt."
  const what =
    error === null
      ? `The receiver responded with ${response_status ?? "no status"}`
      : `${error.charAt(0).toUpperCase()}${error.slice(1)}`
  // Without a response, the error says what the receiver did not do in time.
  const after = response_status === null || duration === null || attempts === 0 ? "" : ` after ${duration} ms`
  const tries = attempts > 1 ? `, at attempt ${attempts}` : ""
  return `${what}${after}${tries}.`
}

/** Returns the short form for rows, e.g. `410 · 3 attempts`. */
export const briefOutcomeOf = ({ attempts, error, response_status }: Result): string =>
  [
    response_status === null ? (error ?? "") : String(response_status),
    attempts > 1 ? counted(attempts, "attempt") : "",
  ]
    .filter((part) => part !== "")
    .join(" · ")

/** Indents the body if it is JSON. Other texts are unchanged. */
export const readableBody = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
