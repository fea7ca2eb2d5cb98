import { Effect } from "effect"
import { type Actor, userIdOf } from "../access/Actor.js"
import type { ProjectId } from "../project/Project.js"
import * as SearchQuery from "../search/SearchQuery.js"
import { toStorable } from "../validation/StorableText.js"
import * as GroupListParameters from "./GroupListParameters.js"
import type { GroupStore } from "./GroupStore.js"

/** The query in a form that every storage accepts. */
export const queryOf = ({ query = "" }: GroupListParameters.GroupListTexts): string =>
  toStorable(query.slice(0, SearchQuery.maxQueryLength))

/** Reads the parameters of a list of a project, whose tags can be asked for by the keys alone that it knows. */
export const filterFor = (groups: GroupStore["Service"], actor: Actor) =>
  Effect.fnUntraced(function* (projectId: ProjectId, texts: GroupListParameters.GroupListTexts) {
    const asked = SearchQuery.tagKeysAsked(queryOf(texts))
    const tagKeys = asked.length === 0 ? [] : yield* groups.tagKeys(projectId, asked)
    return { filter: yield* GroupListParameters.read(texts, userIdOf(actor), tagKeys), tagKeys }
  })
