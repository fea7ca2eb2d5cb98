import { StorageClock } from "@errata/testing"
import { DateTime, Duration, Effect, Layer } from "effect"
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

/** Advances the clock of a database to noon of the next week's Wednesday. */
const nextMidweek = Effect.gen(function* () {
  const [row] = yield* (yield* SqlClient.SqlClient)<{ now: Date }>`SELECT errata.now() AS now`
  const now = DateTime.fromDateUnsafe(row!.now)
  const midweek = DateTime.add(DateTime.startOf(now, "week", { weekStartsOn: 1 }), { days: 9, hours: 12 })
  yield* (yield* StorageClock).advance(DateTime.distance(now, midweek))
})

/** The same, from the middle of a week on whichever day a test runs, so that weeks turn only where it wants them to. */
export const layerAtMidweek: Layer.Layer<StorageClock, never, SqlClient.SqlClient> = Layer.provideMerge(
  Layer.effectDiscard(Effect.orDie(nextMidweek)),
  layer,
)
