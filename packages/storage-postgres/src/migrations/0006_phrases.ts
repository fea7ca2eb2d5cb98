import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What phrases in the list of groups are found by; see `internal/GroupFilterSql.ts`. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A hash: two words can be longer than an index entry may be. Words have no spaces.
  yield* sql`
    CREATE FUNCTION errata.neighbours(word text, next text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(word || ' ' || next, 0)`
  // Of all words that stand next to one another. The cost keeps the planner from asking for it group after group.
  yield* sql`
    CREATE FUNCTION errata.neighbours(search tsvector) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    RETURN (
      WITH words AS (
        SELECT lexeme, position FROM unnest(search) CROSS JOIN LATERAL unnest(positions) AS position
      )
      SELECT coalesce(array_agg(DISTINCT errata.neighbours(word.lexeme, next.lexeme)), '{}')
      FROM words AS word JOIN words AS next ON next.position = word.position + 1
    )`
  // Without it a phrase of frequent words is looked for in every group that has all of them.
  yield* sql`CREATE INDEX groups_neighbours ON errata.groups USING gin (errata.neighbours(search))`
  // The planner is to know how rare they are.
  yield* sql`ANALYZE errata.groups`
})
