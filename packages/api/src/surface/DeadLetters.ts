import type { Query } from "../internal/Contract.js"

/** Accepted payloads that could not be recorded; for admins only. */
export const deadLetters = {
  /** Newest first. */
  list: (query?: Query<"deadLetters", "list">) => ({ urlParams: query ?? {} }),
  /** Puts all of them back into the queue. */
  retryAll: () => ({}),
  /** Puts one back into the queue. */
  retry: (deadLetterId: number) => ({ path: { dead_letter_id: deadLetterId } }),
  /** Deletes one without recording it. */
  discard: (deadLetterId: number) => ({ path: { dead_letter_id: deadLetterId } }),
}
