/** The commands of docs/upgrades.md that back up and restore a database of one's own, as typed there. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Events from "./faults/support/Events.js"
import * as Folder from "./faults/support/Folder.js"
import * as Http from "./faults/support/Http.js"
import * as Instance from "./faults/support/Instance.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"
import * as SystemPostgres from "./support/SystemPostgres.js"

const page = readFileSync(new URL("../../../docs/upgrades.md", import.meta.url), "utf8")
const [, section = ""] = /^## Back up PostgreSQL\n(.*?)^## /ms.exec(page) ?? []
const [dump = "", restore = ""] = Array.from(section.matchAll(/```sh\n(.*?)```/gs), ([, lines]) => lines)

const send = (server: Server.Server, id: string) =>
  Effect.gen(function* () {
    const project = yield* Instance.firstProject(server)
    const { status } = yield* Effect.promise(() =>
      Http.send(Instance.envelopeUrl(server, project), { body: Events.envelope(id, 1) }),
    )
    expect(status).toBe(200)
    const isRecorded = async () => (await Instance.findReport(server, project, id)) !== null
    yield* until("the event is recorded", isRecorded)
  })

describe("docs/upgrades.md", () => {
  it.live("restores a dump over the present data, also of a newer version", (context) =>
    Effect.gen(function* () {
      const { bin } = SystemPostgres
      if (bin === null) return context.skip("PostgreSQL's client programs are not installed")
      const database = yield* SystemPostgres.start(bin)
      const folder = yield* Folder.temporary
      const type = (commands: string) =>
        Effect.promise(() =>
          promisify(execFile)("sh", ["-e", "-c", commands], {
            cwd: folder,
            env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, DATABASE_URL: database },
          }),
        )
      const [kept, later, last] = [1, 2, 3].map((index) => Events.eventId("b0000001", index))
      const start = Server.start(["--database-url", database])

      const first = yield* start
      yield* send(first, kept!)
      yield* type(dump)
      yield* send(first, later!)
      expect(yield* Effect.promise(() => first.end("SIGTERM"))).toBe(0)
      // As the migration of a newer version leaves it: the old tables cannot be dropped one by one.
      yield* type(
        'psql --command="CREATE TABLE errata.newer (project_id bigint REFERENCES errata.projects (id))" "$DATABASE_URL"',
      )

      yield* type(restore)
      const second = yield* start
      const project = yield* Instance.firstProject(second)
      expect(yield* Effect.promise(() => Instance.findReport(second, project, kept!))).not.toBe(null)
      expect(yield* Effect.promise(() => Instance.findReport(second, project, later!))).toBe(null)
      expect((yield* Instance.reportsOf(second, project)).map(({ event_id }) => event_id)).toEqual([kept])
      yield* send(second, last!)
    }),
  )
})
