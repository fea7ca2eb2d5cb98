import { SqlClient } from "@effect/sql"
import { PolicyStore, type StoredPolicy } from "@errata/core"
import { Effect, Layer } from "effect"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return PolicyStore.of({
    find: (name) =>
      sql<PolicyRow>`SELECT settings FROM errata.policies WHERE name = ${name}`.pipe(
        Effect.map((rows) => rows[0]?.settings ?? {}),
        named("PolicyStore.find"),
      ),

    // A row that is not there cannot be locked: it is made, without any settings.
    lock: (name) =>
      sql<PolicyRow>`
        INSERT INTO errata.policies (name, settings, updated_at) VALUES (${name}, '{}', now())
        ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING settings`.pipe(
        Effect.map((rows) => rows[0]?.settings ?? {}),
        named("PolicyStore.lock"),
      ),

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

interface PolicyRow {
  readonly settings: StoredPolicy
}
