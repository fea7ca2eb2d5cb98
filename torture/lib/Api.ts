/** Reads and changes a node over REST. */
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import { apiKey, type Node } from "./Node.js"

export interface Project {
  readonly id: number
  readonly token: string
  readonly groups_count: number
  readonly reports_count: number
}

export interface Group {
  readonly id: number
  readonly reports_count: number
  readonly notes_count: number
}

export interface IngestProtection {
  /** Bytes that are accepted and not yet recorded. */
  readonly pending_ingest_bytes: number
}

export const call = (
  node: Pick<Node, "url">,
  method: string,
  path: string,
  body?: unknown,
): Promise<Http.Answer> =>
  Http.send(`${node.url}/api/service/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Sends a request that must succeed and returns its response. */
export const get = async <A>(node: Pick<Node, "url">, path: string): Promise<A> => {
  const { body, status } = await call(node, "GET", path)
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 300)}`)
  return JSON.parse(body) as A
}

export const firstProject = async (node: Pick<Node, "url">): Promise<Project> =>
  (await get<{ readonly projects: ReadonlyArray<Project> }>(node, "/projects")).projects[0]!

export const envelopeUrl = (node: Pick<Node, "url">, { id, token }: Project): string =>
  `${node.url}/api/${id}/envelope/?sentry_key=${token}&sentry_version=7`

/** Lifts the limits per minute and of the queue, which are not under test. */
export const liftLimits = async (node: Pick<Node, "url">): Promise<void> => {
  await call(node, "PATCH", "/data_retention/ingest_protection", {
    global_rate_limit_per_minute: 10_000_000,
    max_pending_ingest_payloads: 10_000_000,
  })
}

export const groupsOf = (node: Pick<Node, "url">, project: Project): Promise<ReadonlyArray<Group>> =>
  pages(node, `/projects/${project.id}/groups?status=all`, "groups")

export const eventsOf = async (
  node: Pick<Node, "url">,
  project: Project,
  groupId: number,
): Promise<ReadonlyArray<string>> =>
  (
    await pages<{ readonly event_id: string }>(
      node,
      `/projects/${project.id}/groups/${groupId}/reports?`,
      "reports",
    )
  ).map((report) => report.event_id)

export const notesOf = (
  node: Pick<Node, "url">,
  project: Project,
  groupId: number,
): Promise<ReadonlyArray<unknown>> => pages(node, `/projects/${project.id}/groups/${groupId}/notes?`, "notes")

export const isReadable = async (
  node: Pick<Node, "url">,
  project: Project,
  eventId: string,
): Promise<boolean> => (await call(node, "GET", `/projects/${project.id}/reports/${eventId}`)).status === 200

// internal

interface Page {
  readonly next_cursor: number | null
  readonly [key: string]: unknown
}

const pages = async <A>(node: Pick<Node, "url">, path: string, key: string): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  let cursor: number | null = null
  do {
    const page: Page = await get<Page>(node, `${path}&limit=100${cursor === null ? "" : `&cursor=${cursor}`}`)
    all.push(...(page[key] as ReadonlyArray<A>))
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}
