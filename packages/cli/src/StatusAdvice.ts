/** The meaning of each code of `errata status`, and what to do. */
import { healthAdvice } from "@errata/api/promise"
import type { HealthCode, HealthWarningCode } from "@errata/core"

export type StatusCode = HealthCode | "server_stopped" | "up_failing" | "ready_failing"

/** A check, as `--json` prints it. */
export interface StatusCheck {
  readonly name: string
  readonly ok: boolean
  /** Null if the check passes. */
  readonly code: StatusCode | null
}

export interface StatusWarning {
  readonly code: HealthWarningCode
}

export const adviceOn: Readonly<Record<StatusCode | HealthWarningCode, string>> = {
  server_stopped:
    "No server responds at this address. Start one with errata serve, or set the address with --url.",
  up_failing:
    "The response is not from an Errata server, or the server hangs. Check the address, then restart the server.",
  ready_failing: "The server reports that it is not ready. Read the other checks and the server's log.",
  ...healthAdvice,
}
