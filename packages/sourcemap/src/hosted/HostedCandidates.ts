/** Checks whether hosted maps may help, by the origins in the storage. It fetches nothing. */
import type { ProjectId, StorageError } from "@errata/core"
import { Remembered } from "@errata/core/internal"
import type { EventScript, HostedAnswer } from "@errata/core/ports"
import { Cause, Clock, type Duration, Effect } from "effect"
import { webOriginOf } from "../script/ScriptNames.js"
import { AuthorizedOrigins, type HostedFetching, isAnyOf, mayFetch } from "./AuthorizedOrigins.js"

/** Caches the origins of a project, because its events may name many. */
export const make = (life: Duration.Duration) =>
  Effect.gen(function* () {
    const authorized = yield* AuthorizedOrigins
    const remembered = new Remembered<ProjectId, HostedFetching>(life)

    /** Returns true if the cache says that no origin is authorized for the project. */
    const isNothing = (projectId: ProjectId, now: number): boolean =>
      remembered.get(projectId, now)?.origins.size === 0

    /** Returns undefined if the origins are not cached. */
    const known = (
      projectId: ProjectId,
      scripts: ReadonlyArray<EventScript>,
      now: number,
    ): HostedAnswer | undefined => {
      const fetching = remembered.get(projectId, now)
      if (fetching?.origins.size === 0) return null
      const named = originsOf(scripts)
      if (named.length === 0) return null
      return fetching === undefined ? undefined : answerOf(fetching, named)
    }

    /** Returns the cached answer, which may be some seconds old. */
    const ask = Effect.fnUntraced(function* (projectId: ProjectId, scripts: ReadonlyArray<EventScript>) {
      const answer = known(projectId, scripts, yield* Clock.currentTimeMillis)
      return answer === undefined ? yield* askAnew(projectId, scripts) : answer
    })

    const askAnew = (projectId: ProjectId, scripts: ReadonlyArray<EventScript>) => {
      const named = originsOf(scripts)
      return named.length === 0
        ? Effect.succeed(null)
        : Effect.gen(function* () {
            const fetching = yield* authorized.inForce(projectId)
            remembered.set(projectId, fetching, yield* Clock.currentTimeMillis)
            return answerOf(fetching, named)
          }).pipe(otherwiseMayHelp)
    }

    return { isNothing, known, ask, askAnew }
  })

// internal

const answerOf = (fetching: HostedFetching, named: ReadonlyArray<string>): HostedAnswer => {
  if (fetching.origins.size === 0) return null
  if (mayFetch(fetching, named)) return "may_help"
  return isAnyOf(named, fetching.origins) ? "hosted_fetching_disabled" : "origin_not_authorized"
}

/** If the storage fails now, the worker that fetches checks again. */
const otherwiseMayHelp = (answer: Effect.Effect<HostedAnswer, StorageError>): Effect.Effect<HostedAnswer> =>
  Effect.catch(answer, (error) =>
    Effect.as(
      Effect.logWarning("Looking up hosted source maps failed", Cause.fail(error)),
      "may_help" as const,
    ),
  )

/** The origins that can be authorized, as addresses. */
const originsOf = (scripts: ReadonlyArray<EventScript>): ReadonlyArray<string> => {
  const origins = new Set<string>()
  for (const { path } of scripts) {
    const origin = webOriginOf(path)
    if (origin?.startsWith("https:") === true) origins.add(`${origin}/`)
  }
  return [...origins]
}
