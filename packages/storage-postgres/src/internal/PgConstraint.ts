import type { SqlError } from "@effect/sql"

/** Whether a statement failed because a unique index of this name has such a row already. */
export const isTaken =
  (index: string) =>
  (error: SqlError.SqlError): boolean => {
    const cause = error.cause as { readonly code?: unknown; readonly constraint?: unknown } | null
    return cause?.code === uniqueViolation && cause.constraint === index
  }

// internal

const uniqueViolation = "23505"
