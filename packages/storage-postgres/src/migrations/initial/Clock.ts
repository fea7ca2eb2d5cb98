/** The one clock of all nodes, and ids that carry the week in which they were given. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A function, so that tests can set it. Like those below neither strict nor volatile, so that it becomes part of the
  // statement that calls it: a call would cost many times as much.
  yield* sql`
    CREATE FUNCTION errata.now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp()`

  // Whole weeks since Monday, 2000-01-03, UTC: some 1,400 of them in 2026.
  yield* sql`
    CREATE FUNCTION errata.week_of(moment timestamptz) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN floor((date_part('epoch', moment) - 946857600) / 604800)::integer`
  // Below every id that is given in a week: what a sequence of up to 9,999,999,999 gives is added to it. Such ids stay
  // below 2^53 for 17,000 years. The sequence starts again after its end, whenever that is: it would take ten thousand
  // million ids in one week to give one twice.
  yield* sql`
    CREATE FUNCTION errata.first_id(week integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN week::bigint * 10000000000`
  // Events are looked for in every partition that is kept, so theirs are four weeks each: the first of them.
  yield* sql`
    CREATE FUNCTION errata.generation_of(week integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN week - week % 4`
})
