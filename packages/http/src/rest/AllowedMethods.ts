import { HttpApi } from "effect/http-api"
import type { ServedApi } from "./ServedApi.js"

/** Returns the methods of a path, or none for an unknown path. */
export type AllowedMethods = (path: string) => ReadonlyArray<string>

/** Collects the methods from the contract and the other routes. */
export const make = (
  api: ServedApi,
  others: ReadonlyArray<{ readonly method: string; readonly path: string }>,
): AllowedMethods => {
  const routes: Array<{ readonly method: string; readonly segments: ReadonlyArray<string> }> = []
  const add = (method: string, path: string) => {
    routes.push({ method, segments: segmentsOf(path) })
    if (method === "GET") routes.push({ method: "HEAD", segments: segmentsOf(path) })
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => add(endpoint.method, endpoint.path),
  })
  for (const { method, path } of others) add(method, path)
  return (path) => {
    const segments = segmentsOf(path)
    return [
      ...new Set(routes.filter((route) => matches(route.segments, segments)).map((route) => route.method)),
    ].sort()
  }
}

// internal

// Like the router, ignores trailing and repeated slashes.
const segmentsOf = (path: string): ReadonlyArray<string> =>
  path.split("/").filter((segment) => segment !== "")

const matches = (route: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  route.length === path.length && route.every((segment, i) => segment.startsWith(":") || segment === path[i])
