import { Context, Effect, Layer, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import * as Page from "../storage/Page.js"
import { isStorable } from "../validation/StorableText.js"
import type { GroupId } from "./Group.js"
import { existing } from "./GroupNotFound.js"
import { GroupStore, maxTagKeys } from "./GroupStore.js"
import { maxCompletions } from "./TagDistribution.js"

/** No report has a tag with this key. */
export class TagNotFound extends Schema.TaggedError<TagNotFound>()("TagNotFound", {
  key: Schema.String,
}) {}

/** Reads the tags of a project and of its groups. */
export class Tags extends Context.Service<Tags>()("@errata/core/group/Tags", {
  make: Effect.gen(function* () {
    const groups = yield* GroupStore

    /** The tags of a group and of the groups merged into it, most frequent key first. */
    const ofGroup = Effect.fn("Tags.ofGroup")(function* (
      { project }: AuthorizedProject<"groups.read">,
      id: GroupId,
    ) {
      yield* existing(yield* groups.find(project.id, id), id)
      return yield* groups.tagDistributions(project.id, id)
    })

    /** The values of one tag of a group, most frequent first. */
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

    /** The project's tag keys in alphabetical order, at most `maxTagKeys`. */
    const keys = Effect.fn("Tags.keys")(({ project }: AuthorizedProject<"groups.read">) =>
      groups.listTagKeys(project.id, maxTagKeys),
    )

    /** Tag values with this prefix from the groups with the latest reports, most frequent first. */
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
