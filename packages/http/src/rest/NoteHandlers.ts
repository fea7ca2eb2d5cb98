import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, NoteCreation, noteView, pageFields } from "@errata/api"
import { AccessPolicy, GroupId, NoteId, Notes, ProjectId } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "notes", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const notes = yield* Notes

      const changeable = (path: { readonly project_id: number }) =>
        access.project("groups.change", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.read", ProjectId.make(path.project_id))
            const page = yield* notes.list(project, GroupId.make(path.group_id), pageRequest(urlParams))
            return { notes: page.items.map(noteView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ path, request }) =>
          AuthorizedBody.use(request, NoteCreation, changeable(path), ({ content }, project) =>
            notes.create(project, GroupId.make(path.group_id), content),
          ).pipe(Effect.map(noteView), toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.gen(function* () {
            yield* notes.remove(
              yield* changeable(path),
              GroupId.make(path.group_id),
              NoteId.make(path.note_id),
            )
          }).pipe(toProblems),
        )
    }),
  )
