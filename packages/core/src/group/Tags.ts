import { Context, Effect, Layer, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import * as Page from "../storage/Page.js"
import { isStorable } from "../validation/StorableText.js"
import type { GroupId } from "./Group.js"
import { existing } from "./GroupNotFound.js"
import { GroupStore, maxTagKeys } from "./GroupStore.js"
import { maxCompletions } from "./TagDistribution.js"

/** Nothing was reported with a tag of this key. */
export class TagNotFound extends Schema.TaggedError<TagNotFound>()("TagNotFound", {
  key: Schema.String,
}) {}

/** The tags of a project and of its groups. */
export class Tags extends Context.Service<Tags>()("@errata/core/group/Tags", {
  make: Effect.gen(function* () {
    const groups = yield* GroupStore

    /** The tags of a group and of those that it stands for, the most frequent key first. */
    const ofGroup = Effect.fn("Tags.ofGroup")(function* (
      { project }: AuthorizedProject<"groups.read">,
      id: GroupId,
    ) {
      yield* existing(yield* groups.find(project.id, id), id)
      return yield* groups.tagDistributions(project.id, id)
    })

    /** The values of one tag of a group, the most frequent first. */
    const valuesOfGroup = Effect.fn("Tags.valuesOfGroup")(function* (
      { project }: AuthorizedProject<"groups.read">,
      id: GroupId,
      key: string,
      page: Page.PageRequest,
    ) {
      const checked = yield* Page.checked(page)
      yield* existing(yield* groups.find(project.id, id), id)
      const found = isStorable(key) ? yield* groups.tagValuesOf(project.id, id, key, checked) : null
      if (found === null) return yield* new TagNotFound({ key })
      return found
    })

    /** The keys of the project's tags, in the order of the alphabet; at most `maxTagKeys`. */
    const keys = Effect.fn("Tags.keys")(({ project }: AuthorizedProject<"groups.read">) =>
      groups.listTagKeys(project.id, maxTagKeys),
    )

    /** Values of a tag that begin with a prefix, of the groups that occurred last; the most frequent first. */
    const values = Effect.fn("Tags.values")(function* (
      { project }: AuthorizedProject<"groups.read">,
      key: string,
      prefix: string,
      limit: number,
    ) {
      const known = isStorable(key) ? yield* groups.tagKeys(project.id, [key]) : []
      if (!known.includes(key)) return yield* new TagNotFound({ key })
      if (!isStorable(prefix)) return []
      return yield* groups.completeTag(project.id, key, prefix, Math.min(limit, maxCompletions))
    })

    return { ofGroup, valuesOfGroup, keys, values }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
