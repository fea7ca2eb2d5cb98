/** `/api/embed/error-page/`: serves the script of the report dialog, and accepts its form as user feedback. */
import type { ProjectId } from "@errata/core"
import {
  type AcceptedSentryRequest,
  acceptReportForm,
  type ReportDialogTarget,
  type ReportFormErrors,
  readReportDialog,
} from "@errata/sentry"
import { Effect, Result } from "effect"
import * as Answer from "../IngestAnswer.js"
import type { RequestBody } from "../RequestBody.js"
import { dialogScript } from "./DialogScript.js"

/** Bytes that a form may have. */
export const maxBodyBytes = 64 * 1024

export interface DialogRequest {
  readonly method: string
  readonly query: string
  readonly body: RequestBody
}

export interface DialogServices<E1, E2> {
  /** Returns the project of a key, if both match. */
  readonly authenticate: (key: string, projectId: string) => Effect.Effect<ProjectId, E1>
  readonly store: (
    accepted: AcceptedSentryRequest,
    projectId: ProjectId,
  ) => Effect.Effect<Answer.IngestAnswer, E2>
}

/** Handles a request. The script is the same for all; it reads the options from its own URL. */
export const answer = <E1, E2>(request: DialogRequest, { authenticate, store }: DialogServices<E1, E2>) =>
  Effect.gen(function* () {
    const { method } = request
    if (method === "OPTIONS") return Answer.preflight
    if (method !== "GET" && method !== "HEAD" && method !== "POST") return methodNotAllowed
    const target = yield* Effect.fromResult(readReportDialog(request.query))
    const projectId = yield* authenticate(target.dsn.key, target.dsn.projectId)
    if (method !== "POST") return script
    const accepted = yield* readForm(request, target, projectId)
    return Result.isFailure(accepted)
      ? invalidForm(accepted.failure)
      : yield* store(accepted.success, projectId)
  })

// internal

const script = Answer.answer(200, "text/javascript; charset=utf-8", dialogScript)

const methodNotAllowed = Answer.json(
  405,
  { detail: "Method not allowed", causes: ["method_not_allowed"] },
  { allow: "GET, HEAD, POST, OPTIONS" },
)

const invalidForm = (errors: ReportFormErrors): Answer.IngestAnswer =>
  Answer.json(
    400,
    { detail: "The form is not valid", causes: ["invalid_form"], errors },
    { "x-sentry-error": "invalid_form" },
  )

const readForm = ({ body }: DialogRequest, target: ReportDialogTarget, projectId: ProjectId) => {
  body.identify(projectId)
  return Effect.map(body.read, (bytes) =>
    acceptReportForm(target, new URLSearchParams(bytes.toString("utf8"))),
  )
}
