/** Bodies of finished weeks that are in the object store. See docs/decisions/049-archived-bodies.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const archives = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Objects and attempts to write them. A row is inserted before its object is started, and deleted after its object.
  // Bodies of `writing` and `written` objects are still in the database; those of `live` objects are only in the
  // object. The job removes `removing` and `abandoned` objects. A hanging node may still be writing an abandoned one.
  yield* sql`
    CREATE TABLE errata.archives (
      project_id bigint NOT NULL,
      week integer NOT NULL,
      name text NOT NULL,
      state text NOT NULL DEFAULT 'writing',
      changed_at timestamptz NOT NULL DEFAULT errata.now(),
      bytes bigint NOT NULL DEFAULT 0,
      segments_count integer NOT NULL DEFAULT 0,
      -- The first segment of each page of the object's index, and where the page is: see ArchiveIndex.ts.
      page_ids bigint[] NOT NULL DEFAULT '{}',
      page_offsets bigint[] NOT NULL DEFAULT '{}',
      PRIMARY KEY (project_id, week, name)
    )`
  yield* sql`CREATE UNIQUE INDEX archives_live ON errata.archives (project_id, week) WHERE state = 'live'`

  // Bodies that a discard removed but an object still contains. Its next rewrite omits them.
  yield* sql`
    CREATE TABLE errata.archive_removals (
      project_id bigint NOT NULL,
      segment_id bigint NOT NULL,
      positions integer[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      PRIMARY KEY (project_id, segment_id)
    )`

  // Replaces the index of groups in a past week of reports by a dense one. Groups grow at many places of the index at
  // once, so its pages are half empty. The dense one has no times: filters by time read the reports. Two steps in two transactions: writers of the week wait for the first one, and
  // they would block the second one. Returns true once there is nothing left to do. SECURITY DEFINER, as make_partitions.
  yield* sql`
    CREATE FUNCTION errata.compact_index(week integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms'
    AS $$
    DECLARE
      partition CONSTANT text := 'reports' || to_char(DATE '2000-01-03' + 7 * week, '_YYYY_MM_DD');
      dense CONSTANT text := partition || '_dense';
      loose text;
    BEGIN
      IF week >= errata.week_of(errata.now() - INTERVAL '1 hour') THEN
        RAISE invalid_parameter_value USING MESSAGE = format('week %s is not over', week);
      END IF;
      IF to_regclass(format('errata.%I', partition)) IS NULL THEN RETURN true; END IF;
      IF to_regclass(format('errata.%I', dense)) IS NULL THEN
        EXECUTE format(
          'CREATE INDEX %I ON errata.%I (group_id, id) WITH (fillfactor = 100)', dense, partition);
        RETURN false;
      END IF;
      SELECT c.relname INTO loose FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
      WHERE i.indrelid = to_regclass(format('errata.%I', partition))
        AND pg_get_indexdef(i.indexrelid) LIKE '%(project_id, group_id, id) INCLUDE (occurred_at)%';
      IF loose IS NULL THEN RETURN true; END IF;
      EXECUTE format('DROP INDEX errata.%I', loose);
      RETURN true;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      RETURN false;
    END
    $$`
})
