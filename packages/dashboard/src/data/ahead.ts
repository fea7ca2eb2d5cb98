/**
 * The requests that a page shows first. Pages load this file before their other code, so that the responses come while
 * that code loads and starts.
 */
import { filterOf, pageSize, parametersOf } from "./listFilter.js"
import { apiUrl, currentPath } from "./root.js"
import { bearer } from "./session.js"

/** Returns the response of a request that was sent ahead, to the first caller only. */
export const takeAhead = (url: string): Promise<Response> | undefined => {
  const response = sent.get(url)
  sent.delete(url)
  return response
}

/** Resolves when the requests are sent, or shortly later if the token is late: rendering would delay them. */
export const isSent: Promise<unknown> = Promise.race([
  // Other pages need the token too.
  bearer().catch(() => {}),
  new Promise((resolve) => setTimeout(resolve, 100)),
])

// internal

const sent = new Map<string, Promise<Response>>()

/** Times in ms: limit of a request, and the age from which its response is out of date. */
const timeout = 30_000
const fresh = 5_000

/** Paths of the API for the groups or the report of a page. */
const pathsOf = (page: URL): ReadonlyArray<string> => {
  const [isKnown, project, group, report = "latest"] =
    /^\/(?:groups|projects\/(\d+)(?:\/groups(?:\/(\d+)(?:\/reports\/(\d+))?)?)?)$/.exec(page.pathname) ?? []
  if (isKnown === undefined) return []
  const groups = project === undefined ? "/groups" : `/projects/${project}/groups`
  if (group !== undefined)
    return [`${groups}/${group}`, `${groups}/${group}/reports/${report}?include=navigation`]
  const filter = filterOf(null, Object.fromEntries(page.searchParams))
  const parameters = Object.entries(parametersOf(filter, null, pageSize))
  return [`${groups}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`]
}

for (const path of pathsOf(new URL(currentPath(), location.origin))) {
  const response = bearer().then((token) =>
    fetch(apiUrl + path, {
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeout),
    }),
  )
  const forget = () => setTimeout(() => sent.delete(apiUrl + path), fresh)
  // Whoever takes it handles a failure.
  response.then(forget, forget)
  sent.set(apiUrl + path, response)
}
