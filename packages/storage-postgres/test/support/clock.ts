import { StorageClock } from "@errata/testing"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Sets the clock of a database ahead for all its clients. */
export const layer: Layer.Layer<StorageClock, never, SqlClient.SqlClient> = Layer.effect(
  StorageClock,
  Effect.map(SqlClient.SqlClient, (sql) => {
    let ahead = 0
    return {
      advance: (duration) =>
        Effect.suspend(() => {
          ahead += Duration.toMillis(duration)
          return sql.unsafe(`
            CREATE OR REPLACE FUNCTION errata.now() RETURNS timestamptz
            LANGUAGE sql STABLE PARALLEL SAFE
            RETURN statement_timestamp() + INTERVAL '${ahead} milliseconds'`)
        }).pipe(Effect.asVoid, Effect.orDie),
    }
  }),
)
