import { CurrentActor, userIdOf } from "@errata/core"
import { Effect } from "effect"

/** The user who calls; null for the system. */
export const currentUserId = Effect.map(CurrentActor, userIdOf)
