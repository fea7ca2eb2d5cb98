/** What users have access to, as it is shown to people. */
import { Effect } from "effect"
import type { ProjectStore } from "../project/ProjectStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { User } from "./User.js"

/** The users, each with all projects that they have access to: of admins those are all there are. */
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
