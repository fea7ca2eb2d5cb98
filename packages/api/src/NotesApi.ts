import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { NoteCreation, NoteView } from "./NoteView.js"
import { pageOf } from "./Page.js"
import { groupIdParam, noteIdParam, pageParams, projectIdParam } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups/${groupIdParam}/notes`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("notes", NoteView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the notes on a group")

const create = HttpApiEndpoint.post("create")`/projects/${projectIdParam}/groups/${groupIdParam}/notes`
  .setPayload(NoteCreation)
  .addSuccess(NoteView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Write a note on a group")

const remove = HttpApiEndpoint.delete(
  "remove",
)`/projects/${projectIdParam}/groups/${groupIdParam}/notes/${noteIdParam}`.annotate(
  OpenApi.Summary,
  "Delete a note (author or admin)",
)

/** What people, and Errata itself, wrote on a group. */
export const NotesApi = HttpApiGroup.make("notes")
  .add(list)
  .add(create)
  .add(remove)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Notes on a group, by users and by Errata.")
