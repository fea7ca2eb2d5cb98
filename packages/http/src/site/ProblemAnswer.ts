/** Problem documents of the routes beside the REST contract, for scripts of our own pages. */
import { Problem } from "@errata/api"
import { documentOf, headersOf } from "../ProblemDocument.js"
import type { SiteAnswer, SiteRequest } from "./SiteRequest.js"

export const problem = (request: SiteRequest, problem: Problem.Problem): SiteAnswer => ({
  status: problem.status,
  headers: {
    ...headersOf(problem),
    "content-type": Problem.problemMediaType,
    "cache-control": "no-store",
  },
  body: documentOf(problem, request.baseUrl),
})
