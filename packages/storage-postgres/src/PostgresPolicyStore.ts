import { PolicyStore, type StoredPolicy } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { json } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return PolicyStore.of({
    find: (name) =>
      sql`SELECT settings FROM errata.policies WHERE name = ${name}`.pipe(
        Effect.map(settingsOf),
        named("PolicyStore.find"),
      ),

    // Missing rows cannot be locked, so an empty one is inserted.
    lock: (name) =>
      sql`
        INSERT INTO errata.policies (name, settings, updated_at) VALUES (${name}, '{}', now())
        ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING settings`.pipe(Effect.map(settingsOf), named("PolicyStore.lock")),

    save: (name, settings, now) =>
      sql`
        INSERT INTO errata.policies (name, settings, updated_at)
        VALUES (${name}, ${JSON.stringify(settings)}::json, ${toDate(now)})
        ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`.pipe(
        Effect.asVoid,
        named("PolicyStore.save"),
      ),
  })
})

export const layer = Layer.effect(PolicyStore, make)

// internal

const policyRows = Rows.make({ settings: json<StoredPolicy>() })

const settingsOf = ([row]: ReadonlyArray<object>): StoredPolicy =>
  row === undefined ? {} : policyRows.read(row).settings
