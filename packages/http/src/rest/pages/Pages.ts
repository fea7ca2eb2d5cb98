/** The pages beside the API, for everyone. */

import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import * as Documentation from "../Documentation.js"
import { homePage } from "./HomePage.js"
import { answer } from "./Page.js"
import { problemPages } from "./ProblemPages.js"

/** By their paths. */
export const of = (basePath: string, serviceName: string) => {
  const problems = Object.entries(problemPages(basePath, Documentation.paths(serviceName).page))
  return [
    { path: "/" as const, page: homePage(basePath, serviceName) },
    ...problems.map(([name, page]) => ({ path: `/problems/${name}` as const, page })),
  ]
}

export const layer = (pages: ReturnType<typeof of>) =>
  HttpRouter.use((router) =>
    Effect.forEach(pages, ({ page, path }) => router.add("GET", path, answer(page)), { discard: true }),
  )
