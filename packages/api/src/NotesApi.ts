import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { NoteCreation, NoteView } from "./NoteView.js"
import { pageOf } from "./Page.js"
import { groupIdParam, noteIdParam, projectIdParam } from "./Params.js"
import { bodyProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups/:group_id/notes", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: PageParams,
  success: pageOf("notes", NoteView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the notes on a group")

const create = HttpApiEndpoint.post("create", "/projects/:project_id/groups/:group_id/notes", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: NoteCreation,
  success: withStatus(201, NoteView),
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Write a note on a group")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/groups/:group_id/notes/:note_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam, note_id: noteIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete a note (author or admin)")

/** Notes on a group, written by users and by Errata. */
export const NotesApi = HttpApiGroup.make("notes")
  .add(list, create, remove)
  .annotate(OpenApi.Description, "Notes on a group, by users and by Errata.")
