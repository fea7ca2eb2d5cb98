/** Projects as people call them on command lines: by id, by name, or by the slug of the name. */
import { Context, Effect, Layer, Schema } from "effect"
import { ProjectId } from "../project/Project.js"
import { slugOf } from "../project/ProjectSlug.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { isStorable } from "../validation/StorableText.js"
import { AccessPolicy, type ProjectRule } from "./AccessPolicy.js"
import { CurrentActor } from "./Actor.js"

/** No project is called that, or several are. */
export class UnknownProject extends Schema.TaggedError<UnknownProject>()("UnknownProject", {
  reference: Schema.String,
  /** What the caller may have meant, by id and slug: the projects of this slug, else some of theirs. */
  candidates: Schema.Array(Schema.Struct({ id: ProjectId, slug: Schema.String })),
}) {}

/** Finds the projects that people name. */
export class ProjectReferences extends Context.Service<ProjectReferences>()(
  "@errata/core/access/ProjectReferences",
  {
    make: Effect.gen(function* () {
      const access = yield* AccessPolicy
      const projects = yield* ProjectStore

      /** The project, none, or two where there are several. Names are looked up among those that the actor can see. */
      const find = (reference: string) =>
        Effect.gen(function* () {
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

      const candidatesOf = (slug: string | null) =>
        Effect.gen(function* () {
          const only = yield* access.visibleProjects(yield* CurrentActor)
          const page = { limit: maxCandidates, cursor: null }
          const meant = slug === null ? [] : (yield* projects.list({ only, name: null, slug }, page)).items
          const items = meant.length > 0 ? meant : (yield* projects.list({ only, name: null }, page)).items
          return items.map(({ id, name }) => ({ id, slug: slugOf(name) }))
        })

      /**
       * The project of a reference, in which the current actor may do what the rule allows. All digits are an id; else
       * it is the exact name; else the slug of the name, where one project alone has it.
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

      /** The ids of all projects that the current actor can see, ascending. */
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

/** A name without letters and digits has none. */
const isSlug = (text: string): boolean => text !== "" && slugOf(text) === text
