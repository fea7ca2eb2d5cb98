/** Fixtures: projects, groups and reports that cases start from. */
import { expect } from "vitest"
import type { Json } from "./Json.js"
import { eventually, type Person, type Wire, word } from "./Wire.js"

/** Creates a project for one case, with `path` below the API. */
export const project = async (
  { admin }: Wire,
  members: ReadonlyArray<Person> = [],
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Json> => {
  const created = await admin.post("/projects", { name: word("wire "), ...fields }, 201)
  const path = `/projects/${created.id}`
  for (const member of members) await admin.post(`${path}/users`, { user_id: member.id })
  return { ...created, path }
}

export interface Attachment {
  readonly filename: string
  readonly type: string
  readonly body: Uint8Array
}

/** Sends an event with attachments as an SDK does. Returns the event id. */
export const send = async (
  { target }: Wire,
  project: Json,
  event: Json,
  attachments: ReadonlyArray<Attachment> = [],
): Promise<string> => {
  const [endpoint, body] =
    attachments.length === 0 ? ["store", JSON.stringify(event)] : ["envelope", envelopeOf(event, attachments)]
  const response = await fetch(
    `${target.baseUrl}/api/${project.id}/${endpoint}/?sentry_key=${project.token}&sentry_version=7`,
    { method: "POST", body },
  )
  const text = await response.text()
  if (response.status !== 200) throw new Error(`The event was answered with ${response.status} ${text}`)
  return JSON.parse(text).id
}

/** Sends events one after another, each after the previous one is recorded. Returns the details of the reports. */
export const reports = async (
  wire: Wire,
  project: Json,
  events: ReadonlyArray<Json>,
  attachments: ReadonlyArray<Attachment> = [],
): Promise<ReadonlyArray<Json>> => {
  const details: Array<Json> = []
  for (const event of events) {
    const id = await send(wire, project, event, attachments)
    details.push(
      await eventually(`the report of ${id}`, async () => {
        const answer = await wire.admin.send("GET", `/projects/${project.id}/reports/${id}`)
        return answer.status === 200 ? answer.json : undefined
      }),
    )
  }
  return details
}

export const report = async (
  wire: Wire,
  project: Json,
  event: Json = failure(),
  attachments: ReadonlyArray<Attachment> = [],
): Promise<Json> => (await reports(wire, project, [event], attachments))[0]

/** Creates a group with one report, with `path` below the API. */
export const group = async (wire: Wire, project: Json, event: Json = failure()): Promise<Json> =>
  (await groups(wire, project, [event]))[0]

/** Creates groups with one report each. Returns the oldest first. */
export const groups = async (
  wire: Wire,
  project: Json,
  events: number | ReadonlyArray<Json>,
): Promise<ReadonlyArray<Json>> => {
  const sent = typeof events === "number" ? Array.from({ length: events }, () => failure()) : events
  const found: Array<Json> = []
  for (const { group_id } of await reports(wire, project, sent)) {
    found.push(await groupOf(wire, project, group_id))
  }
  return found
}

/** Returns the current state of a group, with `path` below the API. */
export const groupOf = async ({ admin }: Wire, project: Json, id: number): Promise<Json> => {
  const path = `/projects/${project.id}/groups/${id}`
  return { ...(await admin.get(path)), path }
}

/** An event with a group of its own. Events of the same type share a group. */
export const failure = (fields: Json = {}, type = word("Failure")): Json => ({
  exception: { values: [{ type, value: "it went wrong" }] },
  ...fields,
})

/** Adds a report to the group that `failure` created with this type. */
export const again = (wire: Wire, project: Json, type: string, fields: Json = {}): Promise<Json> =>
  report(wire, project, failure(fields, type))

/** The notes on a group as texts, newest first. */
export const notesOn = async ({ admin }: Wire, { path }: Json): Promise<ReadonlyArray<Json>> =>
  (await admin.get(`${path}/notes`, { limit: 100 })).notes

/** Runs `work` while error retention is enabled with a period that expires nothing, then disables it. */
export const retaining = async <A>({ admin }: Wire, work: () => Promise<A>): Promise<A> => {
  const path = "/data_retention/errors"
  await admin.patch(path, { enabled: true, time_purge_type: "full", retention_period_days: 3_650 })
  try {
    return await work()
  } finally {
    await admin.patch(path, { enabled: false, time_purge_type: "partial", retention_period_days: 90 })
  }
}

/** Requests a retention run. */
export const retentionRun = (wire: Wire): Promise<Json> =>
  retaining(wire, () => wire.admin.post("/data_retention/runs", undefined, 202))

export interface UploadedFile {
  readonly name: string
  readonly content: string
  readonly release?: string
  readonly dist?: string
  /** For example `Sourcemap:app.js.map`. */
  readonly headers?: ReadonlyArray<string>
}

/** Uploads a file of a release with the key of an admin. Returns the file in the response, whose id is the upload's. */
export const artifact = async (
  { admin, target }: Wire,
  project: Json,
  { content, dist, headers = [], name, release = "uploaded@1" }: UploadedFile,
): Promise<Json> => {
  const form = new FormData()
  form.set("file", new Blob([content]), name.split("/").at(-1))
  form.set("name", name)
  if (dist !== undefined) form.set("dist", dist)
  for (const header of headers) form.append("header", header)
  const path = `/api/0/projects/errata/${project.id}/releases/${encodeURIComponent(release)}/files/`
  const response = await fetch(new URL(path, target.baseUrl), {
    method: "POST",
    headers: { authorization: `Bearer ${target.admin.apiKey}` },
    body: form,
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`The upload was answered with ${response.status} ${text}`)
  expect(JSON.parse(text)).toMatchObject({ name, dist: dist ?? null })
  return { ...JSON.parse(text), uploader: admin.id, id: Number(JSON.parse(text).id) }
}

/** ISO 8601, this many milliseconds from now. */
export const fromNow = (millis: number): string => new Date(Date.now() + millis).toISOString()

/** Mutes the group or project at `path` until a moment soon. Retries with a later one if the request was too slow. */
export const mutedBriefly = async ({ admin }: Wire, { path }: Json): Promise<void> => {
  for (let lead = 1500; ; lead *= 2) {
    const body = { snooze_until: fromNow(lead) }
    const { status, text } = await admin.send("POST", `${path}/mute`, { body })
    if (status === 204) return
    if (status !== 422 || lead > minute / 4) throw new Error(`The mute was answered with ${status} ${text}`)
  }
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

// internal

const envelopeOf = (event: Json, attachments: ReadonlyArray<Attachment>): Buffer<ArrayBuffer> => {
  const event_id = event.event_id ?? crypto.randomUUID().replaceAll("-", "")
  const lines = (...documents: ReadonlyArray<unknown>) =>
    Buffer.from(documents.map((document) => `${JSON.stringify(document)}\n`).join(""))
  return Buffer.concat([
    lines({ event_id }, { type: "event" }, { ...event, event_id }),
    ...attachments.flatMap(({ body, filename, type }) => [
      lines({ type: "attachment", length: body.length, filename, content_type: type }),
      body,
      Buffer.from("\n"),
    ]),
  ])
}
