/**
 * Requests the data that a page shows first. Pages load this file before their other code, so that the responses come while
 * that code loads and starts.
 */
import { filterOf, type ListFilter, pageSize, parametersOf } from "./listFilter.js"
import { apiUrl, currentPath } from "./root.js"
import { bearer } from "./session.js"

/** Limit of a request, in ms. */
export const timeout = 30_000

/** Returns the response of a request that was sent ahead, to the first caller only. */
export const takeAhead = (url: string): Promise<Response> | undefined => {
  const response = sent.get(url)
  sent.delete(url)
  return response
}

// internal

const sent = new Map<string, Promise<Response>>()

/** Age from which a response is out of date, in ms. */
const fresh = 5_000

/** The list that a page shows, and the paths of the API for its groups, or else for a group and its report. */
const firstOf = (page: URL): { readonly list: ListFilter | null; readonly paths: ReadonlyArray<string> } => {
  const [isKnown, project, group, report = "latest"] =
    /^\/(?:groups|projects\/(\d+)(?:\/groups(?:\/(\d+)(?:\/reports\/(\d+))?)?)?)$/.exec(page.pathname) ?? []
  if (isKnown === undefined) return { list: null, paths: [] }
  const groups = project === undefined ? "/groups" : `/projects/${project}/groups`
  if (group !== undefined) {
    const paths = [`${groups}/${group}`, `${groups}/${group}/reports/${report}?include=navigation`]
    return { list: null, paths }
  }
  const projectId = project === undefined ? null : Number(project)
  const list = filterOf(projectId, Object.fromEntries(page.searchParams))
  const parameters = Object.entries(parametersOf(list, null, pageSize))
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))
  return { list, paths: [`${groups}?${search}`] }
}

const after = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const request = (path: string): void => {
  const url = apiUrl + path
  const response = bearer().then((token) =>
    fetch(url, {
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeout),
    }),
  )
  sent.set(url, response)
  response.then(
    () => setTimeout(() => sent.delete(url), fresh),
    // The page sends it again.
    () => sent.delete(url),
  )
}

const token = bearer().catch(() => {})
const first = firstOf(new URL(currentPath(), location.origin))
first.paths.forEach(request)

/** The list that the page shows first; null on other pages. */
export const firstList: ListFilter | null = first.list

/**
 * Resolves when the app should start: when the requests are sent, at the latest after 50 ms. They need the response with
 * the token, and an app that starts would keep that response waiting. In alternating loads, a list took 592 ms instead of
 * 685, with the header that `index.ts` shows until then.
 */
export const areSent: Promise<unknown> =
  first.paths.length === 0 ? Promise.resolve() : Promise.race([token, after(50)])
