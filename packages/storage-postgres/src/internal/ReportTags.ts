/**
 * Tags of reports. A report has the hashes of its tags, and `errata.group_tags` has their keys and values, because
 * recording counts all tags of a report for its group. This takes 8 bytes per tag. Keys and values would be a third of
 * the row.
 */
import type { Tag } from "@errata/core/ports"
import type { SqlClient, Statement } from "effect/sql"
import type { Readable } from "./SqlType.js"

/** The value of `tags` for a text of core's `TagList`. */
export const hashed = (sql: SqlClient.SqlClient, tagList: Statement.Fragment): Statement.Fragment => sql`(
  SELECT coalesce(
    string_agg(int8send(errata.tag_hash(t.doc ->> (2 * i), t.doc ->> (2 * i + 1))), ''::bytea ORDER BY i), ''::bytea)
  FROM (SELECT ${tagList}::jsonb AS doc OFFSET 0) AS t
  CROSS JOIN generate_series(0, jsonb_array_length(t.doc) / 2 - 1) AS i)`

/** Selects the tags of a report `r` for `read`. */
export const named = `(
  SELECT json_agg(json_build_array(t.key, t.value) ORDER BY h.place)::text
  FROM errata.hashes_in(r.tags) WITH ORDINALITY AS h (tag, place)
  CROSS JOIN LATERAL (
    SELECT t.key, t.value FROM errata.group_tags AS t
    WHERE t.project_id = r.project_id AND t.tag = h.tag AND t.group_id = r.group_id LIMIT 1
  ) AS t)`

/** Reads `named`. It is null for a report without tags. */
export const tags: Readable<ReadonlyArray<Tag>> = {
  read: (value) =>
    value === null
      ? []
      : (JSON.parse(value as string) as ReadonlyArray<readonly [key: string, value: string]>).map(
          ([key, value]) => ({ key, value }),
        ),
}
