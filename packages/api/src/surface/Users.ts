import type { Body, Query } from "../internal/Contract.js"

/** The people who work with the instance; for admins only. */
export const users = {
  /** The active users, newest first. */
  list: (query?: Query<"users", "list">) => ({ urlParams: query ?? {} }),
  get: (userId: number) => ({ path: { user_id: userId } }),
  /** Changes the role of a user. */
  update: (userId: number, changes: Body<"users", "update">) => ({
    path: { user_id: userId },
    payload: changes,
  }),
  /** Deactivates a user, whose API key stops working at once. */
  deactivate: (userId: number) => ({ path: { user_id: userId } }),
}
