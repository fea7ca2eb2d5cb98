/** Tags of groups, and how often they came; see internal/TagCounts.ts. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const tags = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.group_tags (
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- Of key and value, see errata.tag_hash: values can be longer than an index entry may be, and are slow to compare.
      tag uuid NOT NULL,
      count bigint NOT NULL,
      key text COLLATE "C" NOT NULL,
      value text COLLATE "C" NOT NULL,
      -- In this order it serves both the groups of a tag that is rare and some tags of groups that are few.
      PRIMARY KEY (project_id, tag, group_id)
    ) WITH (fillfactor = 85)`
  // All tags of a group. New values, of users say, come with every other report: an entry of the same group and key is next
  // to the others, and takes six bytes.
  yield* sql`CREATE INDEX group_tags_keys ON errata.group_tags (project_id, group_id, key)`

  // In words that become part of the statement that calls it: a call of the function cost twice as much as the hash. For
  // that it must not be strict, nor less than immutable inside (`||` of a number is).
  yield* sql`
    CREATE FUNCTION errata.tag_hash(key text, value text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN md5(length(key)::text || ':' || key || value)::uuid`

  // By what they are looked up: keys that differ in the case of ASCII letters alone are next to each other.
  yield* sql`
    CREATE TABLE errata.tag_keys (
      project_id bigint NOT NULL,
      folded text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(key)) STORED,
      key text COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, folded, key)
    )`

  // Counts of a batch until they are added up, one row a batch: of tag values that `group_tags` has rows for, and of
  // reports by group and minute. No index: all of it is read, and all that is read is deleted.
  // It lives for seconds: not worth the compression.
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
