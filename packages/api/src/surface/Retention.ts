import type { Query } from "../internal/Contract.js"

/** What retention has removed, and when; for admins only. */
export const retention = {
  /** The runs of retention, newest first. */
  list: (query?: Query<"retention", "list">) => ({ urlParams: query ?? {} }),
  /** A run, as far as it is. */
  get: (runId: number) => ({ path: { run_id: runId } }),
  /**
   * Asks for a run for errors, or for artifacts, which begins within seconds. One that waits or is under way is that one.
   */
  run: (query?: Query<"retention", "run">) => ({ urlParams: query ?? {} }),
}
