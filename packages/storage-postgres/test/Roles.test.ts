import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Storage } from "@errata/core/ports"
import { Given, storageContract, storageSuites } from "@errata/testing"
import { Context, Effect, Layer, Redacted } from "effect"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as StorageClock from "./support/clock.js"
import { freshDatabase } from "./support/database.js"
import * as Roles from "./support/roles.js"
import { everyTable } from "./support/suites.js"

const schema = "prepared"
const psql = "/usr/bin/psql"

const build = (options: PostgresStorage.PostgresStorageOptions) =>
  Effect.scoped(Layer.build(PostgresStorage.layer({ schema, ...options })))

const pendingSql = (url: Redacted.Redacted) =>
  Effect.provide(PostgresClient.pendingSql, PostgresClient.layer({ url, schema }))

class Urls extends Context.Service<
  Urls,
  { readonly owner: Redacted.Redacted; readonly runner: Redacted.Redacted }
>()("test/Urls") {}

// The owner migrates with the printed SQL. A role without DDL rights does everything else.
const urls = Layer.effect(
  Urls,
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const { asOwner, asRunner, owner, runner } = yield* Roles.make(database, schema)
    yield* Roles.execute(asOwner, yield* pendingSql(asOwner))
    yield* Roles.execute(asOwner, Roles.grants(schema, owner, runner))
    return { owner: asOwner, runner: asRunner }
  }),
)
const node = Layer.unwrap(
  Effect.map(Urls, ({ runner: url }) => PostgresStorage.layer({ url, schema, migrates: false })),
)
const more = ["RetentionStore", "RetentionJob", "GroupStore, tags", "ReleaseStore", "ArtifactStore"]
storageContract(
  "a role that only runs",
  {
    layer: node.pipe(Layer.provide(urls)),
    secondNode: Layer.fresh(node).pipe(Layer.provide(urls)),
    clock: Layer.unwrap(
      Effect.map(Urls, ({ owner: url }) =>
        Layer.provide(StorageClock.layer, PostgresClient.layer({ url, schema })),
      ),
    ).pipe(Layer.provide(urls)),
  },
  [...everyTable, ...storageSuites.filter(({ name }) => more.includes(name))],
)

describe("the schema", () => {
  it.live("is migrated by a role that owns it and cannot create schemas", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { asOwner } = yield* Roles.make(database, schema)
      expect(
        String(yield* Effect.flip(Roles.execute(asOwner, "CREATE SCHEMA another")).pipe(Effect.map(causeOf))),
      ).toContain("permission denied")
      yield* build({ url: asOwner })
      yield* build({ url: asOwner, migrates: false })
    }).pipe(Effect.scoped),
  )

  it.live("is printed as SQL only until it is migrated", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const refused = yield* Effect.flip(build({ url: database, migrates: false }))
      expect([refused.operation, String(refused.cause)]).toEqual([
        "open",
        "Error: its schema does not match this version. Run errata migrate",
      ])
      const printed = yield* pendingSql(database)
      expect(printed).toContain('CREATE SCHEMA "prepared"')
      expect(printed).not.toMatch(/\berrata\./)
      expect(printed.startsWith("BEGIN;\n")).toBe(true)
      // Printing changed nothing.
      expect(yield* pendingSql(database)).toBe(printed)
      yield* run(database, printed)
      expect(yield* pendingSql(database)).toBe("")
      yield* build({ url: database, migrates: false })
      expect(yield* differences(database)).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("cannot be used by a role without grants, with a message", () =>
    Effect.gen(function* () {
      const { asOwner, asRunner } = yield* Roles.make(yield* freshDatabase, schema)
      yield* build({ url: asOwner })
      const refused = yield* Effect.flip(build({ url: asRunner, migrates: false }))
      expect([refused.operation, String(refused.cause)]).toEqual([
        "open",
        "error: permission denied for schema prepared",
      ])
    }).pipe(Effect.scoped),
  )

  it.live("gets its weekly partitions from a role that does not own it", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { asOwner, asRunner, owner, runner } = yield* Roles.make(database, schema)
      yield* build({ url: asOwner })
      yield* Roles.execute(asOwner, Roles.grants(schema, owner, runner))
      const partitions = (text: string) =>
        Roles.execute(
          asOwner,
          `SELECT count(*)::integer AS count FROM pg_inherits AS i
           WHERE i.inhparent = 'prepared.reports'::regclass AND ${text}`,
        ).pipe(Effect.map(({ rows }) => rows[0].count))
      yield* Roles.execute(
        asOwner,
        `DO $$ DECLARE name text; BEGIN
           FOR name IN SELECT inhrelid::regclass::text FROM pg_inherits
             WHERE inhparent = 'prepared.reports'::regclass AND inhrelid <> 'prepared.reports_default'::regclass
           LOOP EXECUTE 'DROP TABLE ' || name; END LOOP;
         END $$`,
      )
      expect(yield* partitions("true")).toBe(1)
      yield* Effect.gen(function* () {
        yield* (yield* Storage).prepare
        const project = yield* Given.project()
        yield* Given.group(project.id)
      }).pipe(Effect.provide(PostgresStorage.layer({ url: asRunner, schema, migrates: false })))
      expect(yield* partitions("true")).toBe(6)
    }).pipe(Effect.scoped),
  )

  /** Uses psql if it is installed. */
  const run = (url: Redacted.Redacted, statements: string) =>
    existsSync(psql)
      ? Effect.sync(() => {
          const options = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"]
          execFileSync(psql, [...options, Redacted.value(url)], { input: statements })
        })
      : Roles.execute(url, statements)

  const causeOf = ({ cause }: { readonly cause?: unknown }) => cause

  /** Differences between a schema made by the printed SQL and one that Errata migrated itself. */
  const differences = (url: Redacted.Redacted) =>
    Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(PostgresStorage.layer({ url })))
      // Ignores the schema's name and whitespace.
      const plain = (text: string) =>
        `regexp_replace(regexp_replace(${text}, '\\m(errata|${schema})\\M\\.?', '', 'g'), '\\s+', ' ', 'g')`
      const list = (name: string) => `
        SELECT relname::text AS name, relkind::text AS text FROM pg_class
        WHERE relnamespace = '${name}'::regnamespace
        UNION ALL
        SELECT proname::text, ${plain("pg_get_functiondef(oid)")} FROM pg_proc
        WHERE pronamespace = '${name}'::regnamespace
        UNION ALL
        SELECT conname::text, ${plain("pg_get_constraintdef(oid)")} FROM pg_constraint
        WHERE connamespace = '${name}'::regnamespace`
      const both = yield* Roles.execute(
        url,
        `((${list("errata")}) EXCEPT (${list(schema)})) UNION ALL ((${list(schema)}) EXCEPT (${list("errata")}))`,
      )
      return both.rows
    })
})
