/** Sends real events to a running server as clients do. */
import { randomBytes } from "node:crypto"
import { Context, Effect } from "effect"
import * as Rest from "../../support/Rest.js"
import type * as Server from "../../support/Server.js"
import type { Fields, Sample } from "./RealData.js"

/** The running server of a suite. */
export class Errata extends Context.Service<Errata, Server.Server>()("Errata") {}

type Endpoint = "envelope" | "store"

/** Prepares an event as the data's README describes: a new id, and the fields that every current client sets. */
export const prepare = (event: Fields): Fields => ({
  timestamp: Date.now() / 1000,
  platform: "other",
  ...event,
  event_id: randomBytes(16).toString("hex"),
})

export const envelopeOf = (event: Fields): Buffer =>
  Buffer.from(`${JSON.stringify({ event_id: event.event_id })}\n{"type":"event"}\n${JSON.stringify(event)}\n`)

/** The two endpoints for events. */
export const routes: ReadonlyArray<{
  readonly endpoint: Endpoint
  readonly bodyOf: (event: Fields) => Buffer
}> = [
  { endpoint: "envelope", bodyOf: envelopeOf },
  { endpoint: "store", bodyOf: (event) => Buffer.from(JSON.stringify(event)) },
]

export const post = (
  project: Rest.Project,
  endpoint: Endpoint,
  body: Buffer,
  encoding: string | null = null,
) =>
  Effect.flatMap(Errata, ({ url }) =>
    Rest.send(`${url}/api/${project.id}/${endpoint}/`, {
      method: "POST",
      body: new Uint8Array(body),
      headers: {
        "x-sentry-auth": `Sentry sentry_version=7, sentry_client=errata-test/1, sentry_key=${project.token}`,
        ...(encoding === null ? {} : { "content-encoding": encoding }),
      },
    }),
  )

/** Concurrent requests, so that the server's batches hold several events. */
export const concurrency = 8

/** Sends each event once to a new project. Returns it with its report. */
export const roundTrip = (projectName: string, samples: ReadonlyArray<Sample<Fields>>) =>
  Effect.gen(function* () {
    const server = yield* Errata
    const project = yield* Rest.createProject(server, projectName)
    const sent = samples.map(({ data, name }) => ({ name, event: prepare(data) }))
    yield* Effect.forEach(sent, ({ event }) => post(project, "envelope", envelopeOf(event)), { concurrency })
    yield* Rest.recorded(server, project, sent.length)
    const reports = yield* Effect.forEach(sent, ({ event }) =>
      Rest.report(server, project, String(event.event_id)),
    )
    return { project, reports: reports.map((report, i) => ({ name: sent[i]!.name, report })) }
  })
