/** Project access of users, for display. */
import { Effect } from "effect"
import type { ProjectStore } from "../project/ProjectStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { User } from "./User.js"

/** Returns users with the ids of all projects that they can access. Admins can access all. */
export const withAccess = (
  projects: ProjectStore["Service"],
  users: ReadonlyArray<User>,
): Effect.Effect<ReadonlyArray<User>, StorageError> =>
  users.some(isAdmin)
    ? Effect.map(projects.liveIds, (projectIds) =>
        users.map((user) => (isAdmin(user) ? { ...user, projectIds } : user)),
      )
    : Effect.succeed(users)

// internal

const isAdmin = (user: User): boolean => user.role === "admin"
