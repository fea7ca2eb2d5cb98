/** Tags of groups with their counts; see internal/TagCounts.ts. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const tags = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.group_tags (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- Of key and value, see errata.tag_hash: values can be longer than an index entry may be, and are slow to compare.
      tag bigint NOT NULL,
      count bigint NOT NULL,
      key text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      -- In this order it serves both the groups of a tag that is rare and some tags of groups that are few.
      PRIMARY KEY (project_id, tag, group_id)
    ) WITH (fillfactor = 85)`
  // All tags of a group. New values, for example of users, come with every other report. Entries of one group and key
  // are adjacent and take six bytes each.
  yield* sql`CREATE INDEX group_tags_keys ON errata.group_tags (project_id, group_id, key)`

  // Written so that PostgreSQL inlines it, because a call costs twice as much as the hash. It must therefore not be
  // strict, and only use immutable expressions (`||` with a number is not).
  //
  // With ten million tags, a project has two of the same hash with a probability of 3 in a million. A group that has
  // both counts them as one.
  yield* sql`
    CREATE FUNCTION errata.tag_hash(key text, value text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended((length(key)::text || ':' || key || value) COLLATE "C", 0)`

  // The hashes in `errata.reports.tags`. Inlined into statements that read from it.
  yield* sql`
    CREATE FUNCTION errata.hashes_in(tags bytea) RETURNS SETOF bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
      SELECT ('x' || encode(substring(tags FROM 8 * i + 1 FOR 8), 'hex'))::bit(64)::bigint
      FROM generate_series(0, length(tags) / 8 - 1) AS i
    $$`

  // Ordered by lookup key: keys that differ only in ASCII case are adjacent.
  yield* sql`
    CREATE TABLE errata.tag_keys (
      project_id bigint NOT NULL,
      folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(key)) STORED,
      key text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, folded, key)
    )`

  // Pending counts, one row per batch: of tag values that have rows in `group_tags`, and of reports by group and
  // minute. No index, because the whole table is read and deleted. Not compressed, because rows live for seconds.
  yield* sql`
    CREATE TABLE errata.uncounted (
      -- JSON, see TagCounts.ts
      tags text NOT NULL,
      -- See ActivityCounts.ts
      project_ids bigint[] NOT NULL,
      group_ids bigint[] NOT NULL,
      minutes integer[] NOT NULL,
      reports integer[] NOT NULL,
      new_groups smallint[] NOT NULL
    )`
  for (const column of ["tags", "project_ids", "group_ids", "minutes", "reports", "new_groups"]) {
    yield* sql`ALTER TABLE errata.uncounted ALTER COLUMN ${sql(column)} SET STORAGE EXTERNAL`
  }
})
