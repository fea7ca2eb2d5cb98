/** The REST API as an external client uses it: plain requests, plain JSON. */
import { Data, Effect, Schedule } from "effect"
import type { Server } from "./Server.js"

export interface Project {
  readonly id: number
  readonly token: string
  readonly reports_count: number
}

export interface Group {
  readonly id: number
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly severity: string
  readonly reports_count: number
  readonly notes_count: number
}

export interface Frame {
  readonly filename?: string
  readonly abs_path?: string
  readonly function?: string
  readonly module?: string
  readonly lineno?: number
  readonly in_app?: boolean
  readonly pre_context?: ReadonlyArray<string>
  readonly context_line?: string
  readonly post_context?: ReadonlyArray<string>
}

export interface Report {
  readonly id: number
  readonly group_id: number
  readonly event_id: string
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly occurred_at: string
  readonly created_at: string
  readonly updated_at: string
  readonly sourcemap_attempted_at: string | null
  readonly web_url: string | null
  readonly platform: string
  readonly severity: string
  readonly handled: boolean
  readonly server_name: string
  readonly environment: string
  readonly release_version: string
  readonly dist: string
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
  readonly custom_fingerprint: ReadonlyArray<string> | null
  readonly transaction: string
  readonly contexts: ReadonlyArray<{
    readonly name: string
    readonly data: Readonly<Record<string, unknown>>
  }>
  readonly user: Readonly<Record<string, unknown>>
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, unknown>>
  }
  readonly sdk: { readonly name: string; readonly version: string }
  readonly extras: ReadonlyArray<{ readonly key: string; readonly value: unknown }>
  readonly dependencies: ReadonlyArray<{ readonly name: string; readonly version: string }>
  readonly exceptions: ReadonlyArray<{
    readonly type: string | null
    readonly value: string | null
    readonly mechanism: Readonly<Record<string, unknown>> | null
    readonly handled: boolean | null
    readonly frames: ReadonlyArray<Frame>
  }>
  readonly threads: ReadonlyArray<object>
  readonly breadcrumbs: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly logentry: Readonly<Record<string, unknown>> | null
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly content_type: string
    readonly type: string
    readonly size: number
  }>
  readonly ingest_truncations: ReadonlyArray<string>
}

export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}

/** Sends a request and reads the whole response. Network failures are defects. */
export const send = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    }
  })

export const get = <A>(server: Server, path: string): Effect.Effect<A, Unexpected> =>
  request(server, path, {})

export const createProject = (server: Server, name: string): Effect.Effect<Project, Unexpected> =>
  request(server, "/projects", { method: "POST", body: JSON.stringify({ name }) })

/** The DSN of a project. */
export const dsn = (server: Server, { id, token }: Project, prefix = ""): string => {
  const { host, protocol } = new URL(server.url)
  return `${protocol}//${token}@${host}${prefix}/${id}`
}

export const report = (
  server: Server,
  project: Project,
  eventId: string,
): Effect.Effect<Report, Unexpected> => get(server, `/projects/${project.id}/reports/${eventId}`)

export const groups = (server: Server, project: Project): Effect.Effect<ReadonlyArray<Group>, Unexpected> =>
  Effect.map(
    get<{ readonly groups: ReadonlyArray<Group> }>(server, `/projects/${project.id}/groups?limit=100`),
    (page) => page.groups,
  )

/** Repeats a request until the response is as expected. The limit only ends tests that have failed. */
export const eventually = <A, E>(
  ask: Effect.Effect<A, E>,
  wanted: (answer: A) => boolean,
): Effect.Effect<A, E | Unexpected> =>
  ask.pipe(
    Effect.filterOrFail(wanted, (last) => new Unexpected({ message: `Still ${JSON.stringify(last)}` })),
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 2400 }),
  )

/** Waits until the project has at least `count` reports. */
export const recorded = (server: Server, project: Project, count: number): Effect.Effect<void, Unexpected> =>
  Effect.asVoid(
    eventually(
      get<Project>(server, `/projects/${project.id}`),
      ({ reports_count }) => reports_count >= count,
    ),
  )

// internal

const request = <A>(server: Server, path: string, init: RequestInit): Effect.Effect<A, Unexpected> =>
  Effect.flatMap(
    send(`${server.url}/api/service/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
    }),
    ({ body, status }) =>
      status < 300
        ? Effect.succeed(JSON.parse(body.toString()) as A)
        : new Unexpected({ message: `${init.method ?? "GET"} ${path} answered ${status}: ${body}` }),
  )
