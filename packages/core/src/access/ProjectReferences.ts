/** Project references on command lines: an id, a name, or the slug of a name. */
import { Context, Effect, Layer, Schema } from "effect"
import { ProjectId } from "../project/Project.js"
import { slugOf } from "../project/ProjectSlug.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { isStorable } from "../validation/StorableText.js"
import { AccessPolicy, type ProjectRule } from "./AccessPolicy.js"
import { CurrentActor } from "./Actor.js"

/** No project or several projects match the reference. */
export class UnknownProject extends Schema.TaggedError<UnknownProject>()("UnknownProject", {
  reference: Schema.String,
  /** Projects with this slug, or else some that the actor can see. */
  candidates: Schema.Array(Schema.Struct({ id: ProjectId, slug: Schema.String })),
}) {}

/** Resolves project references. */
export class ProjectReferences extends Context.Service<ProjectReferences>()(
  "@errata/core/access/ProjectReferences",
  {
    make: Effect.gen(function* () {
      const access = yield* AccessPolicy
      const projects = yield* ProjectStore

      /** At most two ids; two mean that the slug is ambiguous. Names and slugs match visible projects only. */
      const find = Effect.fnUntraced(function* (reference: string) {
        if (/^\d+$/.test(reference)) {
          const id = Number(reference)
          return Number.isSafeInteger(id) && id > 0 ? [ProjectId.make(id)] : []
        }
        if (!isStorable(reference) || reference.length > maxLength) return []
        const only = yield* access.visibleProjects(yield* CurrentActor)
        const named = yield* projects.list({ only, name: reference }, { limit: 1, cursor: null })
        const { items } =
          named.items.length > 0 || !isSlug(reference)
            ? named
            : yield* projects.list({ only, name: null, slug: reference }, { limit: 2, cursor: null })
        return items.map(({ id }) => id)
      })

      const candidatesOf = Effect.fnUntraced(function* (slug: string | null) {
        const only = yield* access.visibleProjects(yield* CurrentActor)
        const page = { limit: maxCandidates, cursor: null }
        const meant = slug === null ? [] : (yield* projects.list({ only, name: null, slug }, page)).items
        const items = meant.length > 0 ? meant : (yield* projects.list({ only, name: null }, page)).items
        return items.map(({ id, name }) => ({ id, slug: slugOf(name) }))
      })

      /**
       * Loads the project of a reference and authorizes the current actor. A reference of digits is an id. Any other is
       * an exact name, or else a slug that only one project has.
       */
      const authorize = Effect.fn("ProjectReferences.authorize")(function* <Rule extends ProjectRule>(
        rule: Rule,
        reference: string,
      ) {
        const ids = yield* find(reference)
        const [id] = ids
        if (id === undefined || ids.length > 1) {
          const candidates = yield* candidatesOf(id === undefined ? null : reference)
          return yield* new UnknownProject({ reference, candidates })
        }
        return yield* access
          .project<Rule>(rule, id)
          .pipe(
            Effect.catchTag("ProjectNotFound", () =>
              Effect.flatMap(
                candidatesOf(null),
                (candidates) => new UnknownProject({ reference, candidates }),
              ),
            ),
          )
      })

      /** Ids of all projects that the current actor can see, ascending. */
      const visible = Effect.gen(function* () {
        const ids = (yield* access.visibleProjects(yield* CurrentActor)) ?? (yield* projects.liveIds)
        return [...ids].sort((a, b) => a - b).map((id) => ProjectId.make(id))
      }).pipe(Effect.withSpan("ProjectReferences.visible"))

      return { authorize, visible }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const maxLength = 200
const maxCandidates = 10

/** A name without letters and digits has no slug. */
const isSlug = (text: string): boolean => text !== "" && slugOf(text) === text
