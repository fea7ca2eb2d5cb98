import { Array, Context, DateTime, Effect, Layer, Schema } from "effect"
import { AccessPolicy, type AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import type { GroupId } from "../group/Group.js"
import { GroupEvent } from "../group/GroupEvent.js"
import { existing } from "../group/GroupNotFound.js"
import { GroupStore } from "../group/GroupStore.js"
import * as Outbox from "../group/Outbox.js"
import type { ProjectId } from "../project/Project.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { textProblem } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { maxContentLength, NoteId } from "./Note.js"
import { NoteStore } from "./NoteStore.js"

/** The group has no such note. */
export class NoteNotFound extends Schema.TaggedError<NoteNotFound>()("NoteNotFound", { noteId: NoteId }) {}

/** Lists, writes and deletes notes on groups. */
export class Notes extends Context.Service<Notes>()("@errata/core/note/Notes", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const transaction = yield* Transactions.make
    const groups = yield* GroupStore
    const notes = yield* NoteStore
    const writeOutbox = yield* Outbox.make

    /** Locks a group, so that no merge moves its notes until the transaction ends. */
    const locked = (projectId: ProjectId, id: GroupId) =>
      Effect.flatMap(groups.lock(projectId, [id]), (found) => existing(Array.head(found), id))

    /** Notes on a group, newest first. */
    const list = Effect.fn("Notes.list")(function* (
      { project }: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      page: Page.PageRequest,
    ) {
      yield* existing(yield* groups.find(project.id, groupId), groupId)
      return yield* notes.list(project.id, groupId, yield* Page.checked(page))
    })

    const create = Effect.fn("Notes.create")(function* (
      { project, actor }: AuthorizedProject<"groups.change">,
      groupId: GroupId,
      content: string,
    ) {
      yield* ValidationError.ensure({ content: textProblem(content, maxContentLength) })
      const createdAt = yield* DateTime.now
      const userId = userIdOf(actor)
      return yield* transaction(
        Effect.gen(function* () {
          const group = yield* locked(project.id, groupId)
          const written = { projectId: project.id, groupId, userId, content, automated: false, createdAt }
          const note = yield* notes.insert(written)
          yield* writeOutbox([GroupEvent.Noted({ group, by: userId, content })], createdAt)
          return note
        }),
      )
    })

    /** Writes one note on each group that exists and is not merged. */
    const createMany = Effect.fn("Notes.createMany")(function* (
      { project, actor }: AuthorizedProject<"groups.change">,
      groupIds: ReadonlyArray<GroupId>,
      content: string,
    ) {
      yield* ValidationError.ensure({ content: textProblem(content, maxContentLength) })
      const createdAt = yield* DateTime.now
      const userId = userIdOf(actor)
      yield* transaction(
        Effect.gen(function* () {
          const found = yield* groups.lock(project.id, groupIds)
          const standing = found.filter(({ mergedIntoId }) => mergedIntoId === null)
          yield* notes.append(
            standing.map(({ id: groupId, projectId }) => {
              return { projectId, groupId, userId, content, automated: false, createdAt }
            }),
          )
          const events = standing.map((group) => GroupEvent.Noted({ group, by: userId, content }))
          yield* writeOutbox(events, createdAt)
        }),
      )
    })

    /** Deletes a note permanently, if the access policy allows it. */
    const remove = Effect.fn("Notes.remove")(function* (
      project: AuthorizedProject<"groups.change">,
      groupId: GroupId,
      id: NoteId,
    ) {
      const { id: projectId } = project.project
      yield* transaction(
        Effect.gen(function* () {
          yield* locked(projectId, groupId)
          const found = yield* notes.find(projectId, groupId, id)
          const note = yield* Effect.fromOption(found, () => new NoteNotFound({ noteId: id }))
          yield* access.note("notes.remove", project, note)
          yield* notes.remove(projectId, groupId, id)
        }),
      )
    })

    return { list, create, createMany, remove }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
