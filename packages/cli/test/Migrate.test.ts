/** A database whose schema has another owner than the server's role. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import * as Roles from "../../storage-postgres/test/support/roles.js"
import * as Events from "./faults/support/Events.js"
import * as Folder from "./faults/support/Folder.js"
import * as Http from "./faults/support/Http.js"
import * as Instance from "./faults/support/Instance.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"

const env = { ERRATA_DATABASE_SCHEMA: "shop_errors" }

const run = (...line: ReadonlyArray<string>) => Effect.promise(() => Server.run(line, env))

describe("errata migrate --print-sql", () => {
  it.live("prints SQL for a DBA, for a server whose role cannot migrate", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { asOwner, asRunner, owner, runner } = yield* Roles.make(database, env.ERRATA_DATABASE_SCHEMA)
      const [ownerUrl, runnerUrl] = [Redacted.value(asOwner), Redacted.value(asRunner)]

      const refused = yield* run("serve", "--no-migrate", "--port", "0", "--database-url", ownerUrl)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(
        "errata: The database cannot be used: its schema does not match this version. Run errata migrate.\n",
      )
      const printed = yield* run("migrate", "--print-sql", "--database-url", ownerUrl)
      expect([printed.code, printed.stderr]).toEqual([0, ""])
      yield* Roles.execute(asOwner, printed.stdout)
      yield* Roles.execute(asOwner, Roles.grants(env.ERRATA_DATABASE_SCHEMA, owner, runner))
      expect((yield* run("migrate", "--print-sql", "--database-url", runnerUrl)).stdout).toBe(
        "-- The database is up to date.\n",
      )

      const server = yield* Server.start(["--no-migrate", "--database-url", runnerUrl], env)
      const project = yield* Instance.firstProject(server)
      const id = Events.eventId("d0000001", 1)
      const sent = yield* Effect.promise(() =>
        Http.send(Instance.envelopeUrl(server, project), { body: Events.envelope(id, 1) }),
      )
      expect(sent.status).toBe(200)
      yield* until("it is recorded", async () => (await Instance.findReport(server, project, id)) !== null)
      const { rows } = yield* Roles.execute(
        asOwner,
        `SELECT (SELECT count(*)::integer FROM shop_errors.reports) AS reports, to_regnamespace('errata') AS other`,
      )
      expect(rows).toEqual([{ reports: 1, other: null }])
      const status = yield* run("status", "--local", "--database-url", runnerUrl)
      expect(status.stdout).toMatch(/^ok +migrations$/m)
    }),
  )

  it.live("requires an external database", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.temporary
      for (const line of [
        ["migrate", "--print-sql", "--data-dir", folder],
        ["serve", "--no-migrate", "--data-dir", folder],
      ]) {
        const { code, stderr } = yield* run(...line)
        expect(code).not.toBe(0)
        expect(stderr).toMatch(/^errata: --(print-sql|no-migrate) requires /)
      }
    }),
  )
})
