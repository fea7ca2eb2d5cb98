/** Whether what was not uploaded may be had where its scripts are published. Asks the storage, and nobody else. */
import { Cause, Clock, type Duration, Effect } from "effect"
import { Remembered } from "../internal/Remembered.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import { AuthorizedOrigins, isAnyOf } from "./AuthorizedOrigins.js"
import type { EventScript } from "./EventScripts.js"
import { webOriginOf } from "./ScriptNames.js"

/** The origins of a project are believed for some time: one question for ever so many that its events name. */
export const make = (life: Duration.Duration) =>
  Effect.gen(function* () {
    const authorized = yield* AuthorizedOrigins
    const origins = new Remembered<ProjectId, ReadonlySet<string>>(life)

    /** Whether it is known that nothing is authorised for a project. */
    const isNothing = (projectId: ProjectId, now: number): boolean => origins.get(projectId, now)?.size === 0

    /** Undefined where it is not known. */
    const known = (
      projectId: ProjectId,
      scripts: ReadonlyArray<EventScript>,
      now: number,
    ): boolean | undefined => {
      const allowed = origins.get(projectId, now)
      if (allowed?.size === 0) return false
      const named = originsOf(scripts)
      if (named.length === 0) return false
      return allowed === undefined ? undefined : isAnyOf(named, allowed)
    }

    const mayHelp = (projectId: ProjectId, scripts: ReadonlyArray<EventScript>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const answer = known(projectId, scripts, now)
        if (answer !== undefined) return answer
        const allowed = yield* authorized.inForce(projectId)
        origins.set(projectId, allowed, now)
        return isAnyOf(originsOf(scripts), allowed)
      }).pipe(otherwiseTrue)

    /** As it is now. */
    const mayFetch = (projectId: ProjectId, scripts: ReadonlyArray<EventScript>) =>
      authorized
        .mayFetch(
          projectId,
          scripts.map(({ path }) => path),
        )
        .pipe(otherwiseTrue)

    return { isNothing, known, mayHelp, mayFetch }
  })

// internal

/** What the storage cannot answer now is asked of it again by whoever fetches, and fails with a code then. */
const otherwiseTrue = (answer: Effect.Effect<boolean, StorageError>): Effect.Effect<boolean> =>
  Effect.catchAll(answer, (error) =>
    Effect.as(Effect.logWarning("Whether hosted source maps help is not known", Cause.fail(error)), true),
  )

/** Those that can be authorised, as addresses. */
const originsOf = (scripts: ReadonlyArray<EventScript>): ReadonlyArray<string> => {
  const origins = new Set<string>()
  for (const { path } of scripts) {
    const origin = webOriginOf(path)
    if (origin?.startsWith("https:") === true) origins.add(`${origin}/`)
  }
  return [...origins]
}
