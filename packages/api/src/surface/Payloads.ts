import type { Query } from "../internal/Contract.js"

/** Accepted payloads that could not be recorded; for admins only. */
export const payloads = {
  /** The dead-letter queue, newest first. */
  list: (query?: Query<"payloads", "list">) => ({ urlParams: query ?? {} }),
  /** Puts all of them back into the queue. */
  retryAll: () => ({}),
  /** Puts one back into the queue. */
  retry: (payloadId: number) => ({ path: { payload_id: payloadId } }),
}
