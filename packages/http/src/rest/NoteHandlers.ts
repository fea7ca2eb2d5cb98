import { NoteCreation, noteView, pageFields } from "@errata/api/internal"
import { AccessPolicy, GroupId, NoteId, Notes, ProjectId } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"notes">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const notes = yield* Notes

    const changeable = inProject(access, "groups.change")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* access.project("groups.read", ProjectId.make(params.project_id))
          const page = yield* notes.list(project, GroupId.make(params.group_id), pageRequest(query))
          return { notes: page.items.map(noteView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handleRaw("create", ({ params, request }) =>
        AuthorizedBody.use(request, NoteCreation, changeable(params), ({ content }, project) =>
          notes.create(project, GroupId.make(params.group_id), content),
        ).pipe(Effect.map(noteView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.gen(function* () {
          yield* notes.remove(
            yield* changeable(params),
            GroupId.make(params.group_id),
            NoteId.make(params.note_id),
          )
        }).pipe(toProblems),
      )
  })
