/** Retention runs, their progress, and the removal of whole weeks. See docs/decisions/021-retention.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const retention = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row per night.
  yield* sql`
    CREATE TABLE errata.retention_runs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL,
      trigger text NOT NULL,
      requested_by bigint,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      started_at timestamptz,
      finished_at timestamptz,
      -- Null until it begins, and where age does not decide.
      time_purge_type text,
      before timestamptz,
      reports bigint NOT NULL DEFAULT 0,
      groups bigint NOT NULL DEFAULT 0,
      -- Uploads of artifacts.
      bundles bigint NOT NULL DEFAULT 0,
      partitions bigint NOT NULL DEFAULT 0,
      postponed bigint NOT NULL DEFAULT 0,
      -- Given back with the partitions.
      bytes bigint NOT NULL DEFAULT 0,
      bytes_before bigint,
      bytes_after bigint,
      is_within_disk_limit boolean,
      failure text
    )`
  // At most one unfinished run per kind.
  yield* sql`CREATE UNIQUE INDEX retention_runs_unfinished ON errata.retention_runs (kind) WHERE finished_at IS NULL`

  yield* sql`
    CREATE TABLE errata.retention_nights (
      kind text PRIMARY KEY,
      -- The last one that was asked for.
      night timestamptz NOT NULL
    )`

  // Weeks that are being removed: the last report, in primary key order, whose tags are subtracted from the counts of
  // its group. Deleted with the partition.
  yield* sql`
    CREATE TABLE errata.retention_marks (
      week integer PRIMARY KEY,
      after_project bigint NOT NULL,
      after_report bigint NOT NULL
    )`

  // Invalidates the caches of tag rows (TagCounts.ts) when its value changes.
  yield* sql`
    CREATE TABLE errata.tag_removals (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      count bigint NOT NULL
    )`
  yield* sql`INSERT INTO errata.tag_removals (count) VALUES (0)`

  // Drops the partition of a past week or generation. Returns the freed bytes, 0 if there is no such partition, or null
  // if it is in use. A waiting lock request blocks all later ones, including recorders. The lock timeout is therefore a
  // tenth of a second, and the caller retries. Tables with a default partition do not support DETACH CONCURRENTLY.
  //
  // Bodies of the queue and of dead letters move to the default partition, with their dictionaries. It accepts them once
  // their week is gone.
  yield* sql`
    CREATE FUNCTION errata.drop_partition(parent text, week integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms'
    AS $$
    DECLARE
      -- As in make_partitions, which locks the same tables in another order.
      lock CONSTANT bigint := hashtextextended('errata.partitions', 0);
      movable CONSTANT integer := 1000;
      span CONSTANT integer := CASE parent WHEN 'report_events' THEN 4 ELSE 1 END;
      partition CONSTANT text := parent || to_char(DATE '2000-01-03' + 7 * week, '_YYYY_MM_DD');
      rest CONSTANT text := parent || '_default';
      needed bigint[] := '{}';
      bytes bigint;
    BEGIN
      IF parent NOT IN ('reports', 'report_events', 'attachments', 'report_frames', 'segments')
        -- Who has begun to write in a week has come to an end an hour after it.
        OR week + span > errata.week_of(errata.now() - INTERVAL '1 hour') THEN
        RAISE invalid_parameter_value USING MESSAGE = format('week %s of %s is not over', week, parent);
      END IF;
      IF NOT pg_try_advisory_xact_lock(lock) THEN RETURN NULL; END IF;
      IF NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'errata'::regnamespace AND relname = partition) THEN
        RETURN 0;
      END IF;

      -- No more of them come: what is added to the queue refers to the week in which it is added.
      IF parent = 'segments' THEN
        SELECT coalesce(array_agg(DISTINCT segment_id), '{}') INTO needed FROM (
          SELECT segment_id FROM errata.pending_batches
          UNION ALL
          SELECT segment_id FROM errata.dead_letters
        ) AS n WHERE segment_id >= errata.first_id(week) AND segment_id < errata.first_id(week + 1);
        IF cardinality(needed) > movable THEN RETURN NULL; END IF;
      END IF;

      BEGIN
        -- First the table, as everybody does who reads it: nobody is left who could wait for it with a part locked.
        EXECUTE format('LOCK TABLE ONLY errata.%I IN ACCESS EXCLUSIVE MODE', parent);
        EXECUTE format('LOCK TABLE errata.%I, errata.%I IN ACCESS EXCLUSIVE MODE', partition, rest);
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
        -- The locks that it got are given back with the subtransaction.
        RETURN NULL;
      END;
      bytes := pg_total_relation_size(to_regclass(format('errata.%I', partition)));
      EXECUTE format('ALTER TABLE errata.%I DETACH PARTITION errata.%I', parent, partition);
      IF cardinality(needed) > 0 THEN
        EXECUTE format('SELECT $1 || array_agg(DISTINCT dictionary_id) FROM errata.%I WHERE id = ANY ($1)', partition)
          INTO needed USING needed;
        EXECUTE format('INSERT INTO errata.%I SELECT * FROM errata.%I WHERE id = ANY ($1)', rest, partition)
          USING needed;
      END IF;
      EXECUTE format('DROP TABLE errata.%I', partition);
      RETURN bytes;
    END
    $$`
})
