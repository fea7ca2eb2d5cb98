import { HttpApiBuilder } from "@effect/platform"
import { type ErrataApi, NoteCreation, noteView, pageFields } from "@errata/api"
import { AccessPolicy, GroupId, NoteId, Notes, ProjectId } from "@errata/core"
import { Effect } from "effect"
import * as JsonBody from "./JsonBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "notes", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const notes = yield* Notes

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.read", ProjectId.make(path.project_id))
            const page = yield* notes.list(project, GroupId.make(path.group_id), pageRequest(urlParams))
            return { notes: page.items.map(noteView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ path, request }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.change", ProjectId.make(path.project_id))
            const { content } = yield* JsonBody.read(request, NoteCreation)
            return noteView(yield* notes.create(project, GroupId.make(path.group_id), content))
          }).pipe(toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.change", ProjectId.make(path.project_id))
            yield* notes.remove(project, GroupId.make(path.group_id), NoteId.make(path.note_id))
          }).pipe(toProblems),
        )
    }),
  )
