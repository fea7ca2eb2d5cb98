import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeadLetterView } from "./DeadLetterView.js"
import { int } from "./Fields.js"
import { named } from "./Json.js"
import { pageOf } from "./Page.js"
import { deadLetterIdParam } from "./Params.js"
import { instanceProblems, NotFound, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/dead_letters", {
  query: PageParams,
  success: pageOf("dead_letters", DeadLetterView),
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the dead letters, newest first (admin)")

const retryAll = HttpApiEndpoint.post("retryAll", "/dead_letters/retry", {
  success: Schema.Struct({
    retried: int("Number of dead letters that were queued again"),
  }).pipe(named("DeadLetterRetry", { retried: 2 })),
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Move all dead letters back into the queue (admin)")

const retry = HttpApiEndpoint.post("retry", "/dead_letters/:dead_letter_id/retry", {
  params: { dead_letter_id: deadLetterIdParam },
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Move a dead letter back into the queue (admin)")

const discard = HttpApiEndpoint.delete("discard", "/dead_letters/:dead_letter_id", {
  params: { dead_letter_id: deadLetterIdParam },
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Delete a dead letter without recording it (admin)")

/** Dead letters, which are accepted payloads that could not be recorded; for admins only. */
export const DeadLettersApi = HttpApiGroup.make("deadLetters")
  .add(list, retryAll, retry, discard)
  .annotate(OpenApi.Description, "Dead letters are accepted payloads that could not be recorded. For admins.")
