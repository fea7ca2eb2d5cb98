/** Problem documents of the routes beside the REST contract, for scripts of our own pages. */
import { Problem } from "@errata/api"
import * as ProblemResponse from "../rest/ProblemResponse.js"
import type { SiteAnswer, SiteRequest } from "./SiteRequest.js"

export const problem = (request: SiteRequest, problem: Problem.Problem): SiteAnswer => ({
  status: problem.status,
  headers: {
    ...ProblemResponse.headersOf(problem),
    "content-type": Problem.problemMediaType,
    "cache-control": "no-store",
  },
  body: ProblemResponse.documentOf(problem, request.baseUrl),
})
