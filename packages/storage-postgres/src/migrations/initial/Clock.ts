/** The clock that all nodes share, and ids that contain the week in which they were assigned. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A function, so that tests can override it. Neither strict nor volatile, like those below, so that PostgreSQL
  // inlines it: a call costs many times more.
  yield* sql`
    CREATE FUNCTION errata.now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp()`

  // Whole weeks since Monday, 2000-01-03 UTC; about 1,400 in 2026.
  yield* sql`
    CREATE FUNCTION errata.week_of(moment timestamptz) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN floor((date_part('epoch', moment) - 946857600) / 604800)::integer`
  // Lower bound of a week's ids. Sequence values up to 9,999,999,999 are added. Ids stay below 2^53 for 17,000 years.
  // The sequence cycles; a duplicate would take ten billion ids in one week.
  yield* sql`
    CREATE FUNCTION errata.first_id(week integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN week::bigint * 10000000000`
  // First week of a generation of four. Event ids are looked up in every kept partition, so theirs span four weeks.
  yield* sql`
    CREATE FUNCTION errata.generation_of(week integer) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN week - week % 4`
})
