import type { Body, Query } from "../internal/Contract.js"

/** The people who work with the instance; for admins only. */
export const users = {
  /** The active users, newest first. */
  list: (query?: Query<"users", "list">) => ({ urlParams: query ?? {} }),
  /** Creates a user, with a link for signing in the first time. */
  create: (user: Body<"users", "create">) => ({ payload: user }),
  /** Makes a link that signs a user in once; a former one stops working. */
  createSignInLink: (userId: number) => ({ path: { user_id: userId } }),
  /** Replaces the API key of a user; the former one stops working. */
  rotateApiKey: (userId: number) => ({ path: { user_id: userId } }),
  get: (userId: number) => ({ path: { user_id: userId } }),
  /** Changes the role of a user. */
  update: (userId: number, changes: Body<"users", "update">) => ({
    path: { user_id: userId },
    payload: changes,
  }),
  /** Deactivates a user, whose API key, sessions and connected apps stop working at once. */
  deactivate: (userId: number) => ({ path: { user_id: userId } }),
}
