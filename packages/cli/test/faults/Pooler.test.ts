/** A server behind PgBouncer, if that is installed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as PgBouncer from "../../../storage-postgres/test/support/pgbouncer.js"
import * as Server from "../support/Server.js"
import * as Expect from "./support/Expect.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import { until } from "./support/Wait.js"

describe.skipIf(!PgBouncer.isInstalled)("a server behind a pooler", () => {
  for (const mode of ["session", "transaction"] as const) {
    it.live(`of ${mode}s records each event once, and is checked by local commands`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const url = yield* PgBouncer.make(database, mode)
        const args = ["--database-url", Redacted.value(url)]
        const server = yield* Server.start([...args, "--log-level", "info"])
        expect(server.output()).toContain("The database is behind a pooler")
        const project = yield* Instance.firstProject(server)
        const target = Instance.envelopeUrl(server, project)
        const load = yield* Load.start({
          source: "d0002802",
          target: () => ({ url: target }),
          connections: 8,
        })
        yield* until("events arrive", () => load.accepted.size > 300)
        yield* load.stop
        yield* Expect.recorded(database)
        yield* Expect.eachOnce(server, database, [load])
        expect([...load.statuses.keys()]).toEqual([200])
        const { stdout } = yield* Effect.promise(() => Server.run(["status", ...args]))
        for (const check of ["database", "migrations", "storage"]) {
          expect(stdout).toMatch(new RegExp(`^ok +${check}$`, "m"))
        }
      }),
    )
  }
})
