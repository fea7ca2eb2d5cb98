/** Reads a running server over REST. */
import { Effect } from "effect"
import type { Server } from "../../support/Server.js"
import * as Http from "./Http.js"

export interface Project {
  readonly id: number
  readonly token: string
  readonly groups_count: number
  readonly reports_count: number
}

export interface Group {
  readonly id: number
  readonly error_type: string
  readonly error_message: string
  readonly reports_count: number
  readonly resolved: boolean
  readonly muted: boolean
}

export interface ReportItem {
  readonly id: number
  readonly event_id: string
}

/** Sends a REST request with the admin's key. `path` is relative to `/api/service/v1`. */
export const call = (server: Server, path: string, sending: Http.Sending = {}): Promise<Http.Answer> =>
  Http.send(`${server.url}/api/service/v1${path}`, {
    ...sending,
    headers: { authorization: `Bearer ${server.apiKey}`, ...sending.headers },
  })

/** Sends such a request and fails unless it succeeds. */
export const get = <A>(server: Server, path: string): Effect.Effect<A> =>
  Effect.promise(async () => {
    const { status, body } = await call(server, path)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`)
    return JSON.parse(body) as A
  })

/** The project that the first start creates. */
export const firstProject = (server: Server): Effect.Effect<Project> =>
  Effect.map(
    get<{ readonly projects: ReadonlyArray<Project> }>(server, "/projects"),
    ({ projects }) => projects[0]!,
  )

/** The envelope endpoint of a project. */
export const envelopeUrl = (server: Server, project: Project): string =>
  `${server.url}/api/${project.id}/envelope/?sentry_key=${project.token}&sentry_version=7`

export const groupsOf = (server: Server, project: Project): Effect.Effect<ReadonlyArray<Group>> =>
  pages(server, `/projects/${project.id}/groups?status=all`, "groups")

export const reportsOf = (server: Server, project: Project): Effect.Effect<ReadonlyArray<ReportItem>> =>
  Effect.gen(function* () {
    const all: Array<ReportItem> = []
    for (const { id } of yield* groupsOf(server, project)) {
      all.push(
        ...(yield* pages<ReportItem>(server, `/projects/${project.id}/groups/${id}/reports?`, "reports")),
      )
    }
    return all
  })

/** The report of an event, or null if there is none. */
export const findReport = async <A>(server: Server, project: Project, eventId: string): Promise<A | null> => {
  const { status, body } = await call(server, `/projects/${project.id}/reports/${eventId}`)
  if (status === 404) return null
  if (status !== 200) throw new Error(`The event ${eventId} answered ${status}: ${body}`)
  return JSON.parse(body) as A
}

// internal

const pages = <A>(server: Server, path: string, key: string): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let cursor: number | null = null
    do {
      const page: Page = yield* get<Page>(
        server,
        `${path}&limit=100${cursor === null ? "" : `&cursor=${cursor}`}`,
      )
      all.push(...(page[key] as ReadonlyArray<A>))
      cursor = page.next_cursor
    } while (cursor !== null)
    return all
  })

interface Page {
  readonly next_cursor: number | null
  readonly [key: string]: unknown
}
