import type { SqlError } from "effect/sql/SqlError"

/** Returns the driver's error. */
export const causeOf = ({ reason }: SqlError): unknown => reason.cause

/**
 * Returns the SQLSTATE of an error, or null if the server did not send it. System errors have a `code` too, and `EPIPE`
 * looks like a SQLSTATE, but only server errors have a severity. `instanceof` does not work, because the host
 * application may have its own copy of the driver.
 *
 * Source: PostgreSQL, "Error and Notice Message Fields".
 */
export const sqlState = (cause: unknown): string | null => {
  if (typeof cause !== "object" || cause === null) return null
  const { code, severity } = cause as { readonly code?: unknown; readonly severity?: unknown }
  return typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null
}
