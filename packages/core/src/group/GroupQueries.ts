import { Effect } from "effect"
import { type Actor, userIdOf } from "../access/Actor.js"
import type { ProjectId } from "../project/Project.js"
import * as SearchQuery from "../search/SearchQuery.js"
import { toStorable } from "../validation/StorableText.js"
import * as GroupListParameters from "./GroupListParameters.js"
import type { GroupStore } from "./GroupStore.js"

/** The query, truncated and without characters that storages reject. */
export const queryOf = ({ query = "" }: GroupListParameters.GroupListTexts): string =>
  toStorable(query.slice(0, SearchQuery.maxQueryLength))

/** Parses list parameters of a project. The project's tag keys are valid filter names. */
export const filterFor = (groups: GroupStore["Service"], actor: Actor) =>
  Effect.fnUntraced(function* (projectId: ProjectId, texts: GroupListParameters.GroupListTexts) {
    const asked = SearchQuery.tagKeysAsked(queryOf(texts))
    const tagKeys = asked.length === 0 ? [] : yield* groups.tagKeys(projectId, asked)
    return { filter: yield* GroupListParameters.read(texts, userIdOf(actor), tagKeys), tagKeys }
  })
