import type { SqlError } from "effect/sql/SqlError"

/** The error of the driver, or of what stood in its place. */
export const causeOf = ({ reason }: SqlError): unknown => reason.cause

/**
 * The SQLSTATE of a failure, or null where it is not the server that speaks. Errors of the system have a `code` as well,
 * and `EPIPE` looks like a SQLSTATE. Only the server gives a severity; the driver's class is no help, because the
 * driver may be the host application's own copy.
 *
 * Source: PostgreSQL, "Error and Notice Message Fields".
 */
export const sqlState = (cause: unknown): string | null => {
  if (typeof cause !== "object" || cause === null) return null
  const { code, severity } = cause as { readonly code?: unknown; readonly severity?: unknown }
  return typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null
}
