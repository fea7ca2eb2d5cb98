/** A server that is killed while it moves bodies to a folder. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import { createProject } from "../support/Rest.js"
import * as Server from "../support/Server.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

interface Archive {
  readonly name: string
  readonly state: string
}

const finished = ["written", "live"]

/** The files below the folder, which a server may be renaming. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => relative(folder, join(parentPath, name)))
        .sort()
    : []

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

it.live("a server that is killed during a move loses nothing and stores nothing twice", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const folder = join(yield* Folder.temporary, "objects")
    const args = ["--database-url", Redacted.value(url)]
    const states = Queue.query<Archive>(url, "SELECT name, state FROM errata.archives ORDER BY name")

    const first = yield* Server.start(args)
    const project = yield* Instance.firstProject(first)
    yield* createProject(first, "Another")
    const load = yield* Load.start({
      target: () => ({ url: Instance.envelopeUrl(first, project) }),
      source: "a0000031",
    })
    yield* until("events are accepted", () => load.accepted.size >= 100)
    yield* load.stop
    yield* until("they are recorded", async () => {
      const { pending } = await Effect.runPromise(Queue.counts(url))
      return pending === 0
    })
    yield* Effect.promise(() => first.end("SIGTERM"))
    // Segments of three weeks ago in both projects, enough that the move takes a while.
    yield* Queue.query(
      url,
      `INSERT INTO errata.segments (project_id, payloads_count, bytes, index_bytes, block_bytes, body)
       SELECT p.id, 1, 1, 1, 1, (SELECT string_agg(decode(md5(i::text || j::text), 'hex'), '') FROM generate_series(1, 20000) AS j)
       FROM errata.projects AS p, generate_series(1, CASE p.id WHEN ${project.id} THEN 30 ELSE 200 END) AS i`,
    )
    yield* Queue.query(
      url,
      `CREATE OR REPLACE FUNCTION errata.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
       RETURN statement_timestamp() + INTERVAL '21 days'`,
    )

    const moving = {
      ERRATA_BLOBS: pathToFileURL(folder).href,
      ERRATA_ARCHIVE_AFTER_WEEKS: "1",
    }
    const segments = Queue.query(url, "SELECT 1 FROM errata.segments")
    const isListening = (server: Server.Running) => server.output().includes("Errata is listening")
    const statesNow = async () => (await Effect.runPromise(states)).map(({ state }) => state)
    const moments: ReadonlyArray<readonly [string, (server: Server.Running) => Promise<boolean>]> = [
      [
        "an object is being written, or this process was too slow to see it",
        async () =>
          filesOf(folder).some((name) => name.startsWith("tmp/") && sizeOf(join(folder, name)) > 0) ||
          (await Effect.runPromise(segments)).length === 0,
      ],
      [
        "the first object is written",
        async (server) =>
          isListening(server) && (await statesNow()).some((state) => finished.includes(state)),
      ],
      ["the week is moved", async (server) => isListening(server) && (await statesNow()).includes("live")],
    ]
    for (const [what, isReached] of moments) {
      // The move may begin before the server listens.
      const server = yield* Server.spawnScoped(["serve", "--port", "0", ...args], moving)
      yield* until(what, () => isReached(server))
      server.child.kill("SIGKILL")
      yield* Effect.promise(() => server.closed)
      // Otherwise the next server waits for the lease of the killed one.
      yield* Queue.query(
        url,
        "UPDATE errata.jobs SET leased_until = errata.now() WHERE leased_until IS NOT NULL",
      )
      const names = (yield* states).map(({ name }) => name)
      for (const file of filesOf(folder)) {
        expect(
          names.some((name) => file === `objects/${name}` || file === `tmp/${name.replaceAll("/", ".")}`),
        ).toBe(true)
      }
    }

    const last = yield* Server.start(args, moving)
    // The last run also cleans up, before it finds nothing to move.
    yield* until("the last run has ended", async () => {
      const rows = await Effect.runPromise(
        Queue.query<{ done: boolean }>(
          url,
          `SELECT succeeded_at IS NOT NULL AND leased_until IS NULL AS done FROM errata.jobs WHERE name = 'archive-bodies'`,
        ),
      )
      return rows[0]?.done === true
    })
    const live = (yield* states).filter(({ state }) => state === "live")
    expect(live).toHaveLength(2)
    expect(filesOf(folder)).toEqual(live.map(({ name }) => `objects/${name}`))
    expect(yield* segments).toEqual([])
    for (const eventId of load.accepted) {
      const report = yield* Effect.promise(() =>
        Instance.findReport<{ exceptions: ReadonlyArray<unknown>; details_unreadable: unknown }>(
          last,
          project,
          eventId,
        ),
      )
      expect(report).toMatchObject({ details_purged: false, details_unreadable: null })
      expect(report!.exceptions).not.toEqual([])
    }

    for (const { name } of live) rmSync(join(folder, "objects", name))
    const [eventId] = load.accepted
    const report = yield* Effect.promise(() =>
      Instance.findReport<{ readonly details_unreadable: unknown }>(last, project, eventId!),
    )
    expect(report).toMatchObject({ event_id: eventId, details_purged: false, details_unreadable: "missing" })
    expect((yield* Instance.reportsOf(last, project)).length).toBeGreaterThanOrEqual(load.accepted.size)
    expect(last.output()).toContain("Bodies of reports cannot be read from the object store")
    const health = yield* Effect.promise(() => Http.send(`${last.url}/ready`, {}))
    expect(health.status).toBe(200)
  }),
)
