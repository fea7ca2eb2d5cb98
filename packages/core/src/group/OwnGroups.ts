import { Clock, Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { AccessPolicy, type AuthorizedInstance } from "../access/AccessPolicy.js"
import type { Actor } from "../access/Actor.js"
import type { ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { hintsOn } from "../search/SearchHints.js"
import * as Page from "../storage/Page.js"
import { ValidationError } from "../validation/ValidationError.js"
import type { ListedGroup } from "./Group.js"
import * as GroupListParameters from "./GroupListParameters.js"
import { filterFor, queryOf } from "./GroupQueries.js"
import { type GroupPageRequest, inExactOrder, maxListedProjects, placeOf } from "./GroupSort.js"
import { GroupStore } from "./GroupStore.js"

/** Lists groups of all projects that the caller can see. */
export class OwnGroups extends Context.Service<OwnGroups>()("@errata/core/group/OwnGroups", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const projects = yield* ProjectStore
    const groups = yield* GroupStore

    /** The readable projects among these ids, or the newest ones if null. */
    const readable = Effect.fnUntraced(function* (actor: Actor, ids: ReadonlyArray<number> | null) {
      const visible = yield* access.visibleProjects(actor)
      const only =
        visible === null || ids === null ? (ids ?? visible) : ids.filter((id) => visible.includes(id))
      if (only?.length === 0) return []
      const { items } = yield* projects.list({ only, name: null }, { limit: maxListedProjects, cursor: null })
      return items.filter((project) => access.allows("groups.read", actor, project)).map(({ id }) => id)
    })

    /**
     * Groups that match in these projects, or in the newest ones if null, in one order. Reads one page per project from
     * the same position. Projects that do not respond within a few seconds are `skipped`, so that one large project
     * does not block the list.
     */
    const list = Effect.fn("OwnGroups.list")(function* (
      { actor }: AuthorizedInstance<"projects.list">,
      texts: GroupListParameters.GroupListTexts,
      projectIds: ReadonlyArray<number> | null,
      page: GroupPageRequest,
    ) {
      yield* ValidationError.ensure({
        projectIds:
          (projectIds?.length ?? 0) > maxListedProjects ? `must have at most ${maxListedProjects} ids` : null,
      })
      // Validates the parameters even without projects.
      yield* GroupListParameters.read(texts, null)
      const { sort = "newest" } = page
      const checked = { ...(yield* Page.checked(page)), sort }
      const now = yield* DateTime.now
      const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
      const read = filterFor(groups, actor)
      const listOf = Effect.fnUntraced(function* (projectId: ProjectId) {
        const { filter, tagKeys } = yield* read(projectId, texts)
        return { ...(yield* groups.list(projectId, filter, checked, now)), tagKeys }
      })
      const asked = yield* readable(actor, projectIds)
      const answers = yield* Effect.forEach(
        asked,
        (projectId) =>
          Effect.flatMap(Clock.currentTimeMillis, (millis) =>
            Effect.timeoutOption(listOf(projectId), Math.max(0, end - millis)),
          ),
        { concurrency: projectsTogether },
      )
      const found = answers.flatMap(Option.toArray)
      const place = (group: ListedGroup) => placeOf(sort, group)
      const all = found.flatMap(({ items }) => items).sort((a, b) => place(b) - place(a))
      const items = all.slice(0, checked.limit)
      const last = items.at(-1)
      const isMore = all.length > items.length || found.some(({ nextCursor }) => nextCursor !== null)
      return {
        items: inExactOrder(items, sort),
        nextCursor: isMore && last !== undefined ? place(last) : null,
        hints: hintsOn(queryOf(texts), [...new Set(found.flatMap(({ tagKeys }) => tagKeys))]),
        skipped: asked.filter((_, i) => Option.isNone(answers[i]!)),
      }
    })

    return { list }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** For all projects together. */
const patience = Duration.seconds(5)

/** Each uses one or two connections. */
const projectsTogether = 2
