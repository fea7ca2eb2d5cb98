/** Commands of upload clients that Errata does not have. They print the sentence of a 400, but not that of a 404. */
import { Effect } from "effect"
import { refused } from "./UploadAnswer.js"
import type { UploadRoute } from "./UploadCall.js"

export const routes: ReadonlyArray<UploadRoute> = [
  ...refusing("This client cannot list groups in Errata. Run `errata groups list`, or use the REST API.", [
    ["GET", "projects/:organization/:project/issues"],
    ["GET", "organizations/:organization/issues"],
    ["GET", "organizations/:organization/issues/:issue"],
    ["GET", "issues/:issue"],
  ]),
  ...refusing(
    "This client cannot change errors in Errata. Run `errata groups resolve` or `errata groups mute`.",
    [
      ["PUT", "projects/:organization/:project/issues"],
      ["PUT", "organizations/:organization/issues"],
      ["PUT", "organizations/:organization/issues/:issue"],
    ],
  ),
  ...refusing("This client cannot list reports in Errata. Run `errata reports list`, or use the REST API.", [
    ["GET", "projects/:organization/:project/events"],
    ["GET", "projects/:organization/:project/events/:event"],
    ["GET", "organizations/:organization/events"],
    ["GET", "organizations/:organization/eventids/:event"],
  ]),
  ...refusing("Errata has no monitors.", [["GET", "organizations/:organization/monitors"]]),
  ...refusing("Errata cannot use native debug files or ProGuard mappings. It reads source maps.", [
    ["POST", "projects/:organization/:project/files/dsyms"],
  ]),
]

// internal

function refusing(
  sentence: string,
  paths: ReadonlyArray<readonly [UploadRoute["method"], string]>,
): ReadonlyArray<UploadRoute> {
  return paths.map(([method, path]) => ({
    method,
    path,
    handle: ({ pieces }) =>
      Effect.sync(() => {
        pieces.discard()
        return refused(400, sentence)
      }),
  }))
}
