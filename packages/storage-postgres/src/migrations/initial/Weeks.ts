/** Creates weekly partitions and ensures that an event is in one partition only. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const weeks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Creates missing partitions of a table for this week and the next ones, named by their first Monday. Returns their
  // number. SECURITY DEFINER, because the server's role need not own the tables. One table per transaction: attaching
  // locks the default partition, and two such locks could deadlock with a reader of both tables.
  //
  // Reports of the week that are already in the default partition are moved along. If there are too many to move
  // quickly, that week stays in the default partition.
  yield* sql`
    CREATE FUNCTION errata.make_partitions(parent text, ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
    AS $$
    DECLARE
      lock CONSTANT bigint := hashtextextended('errata.partitions', 0);
      movable CONSTANT integer := 100000;
      span CONSTANT integer := CASE parent WHEN 'report_events' THEN 4 ELSE 1 END;
      this_week CONSTANT integer := errata.week_of(errata.now());
      rest CONSTANT text := parent || '_default';
      key text;
      options text;
      made integer := 0;
      partition text;
      first bigint;
      below bigint;
      strays integer;
    BEGIN
      SELECT a.attname INTO key
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
      WHERE p.partrelid = to_regclass(format('errata.%I', parent)) AND p.partstrat = 'r';
      IF key IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s has no partitions by week', parent);
      END IF;

      FOR week IN this_week - this_week % span .. this_week + least(ahead, 52) BY span LOOP
        partition := parent || to_char(DATE '2000-01-03' + 7 * week, '_YYYY_MM_DD');
        CONTINUE WHEN EXISTS (
          SELECT FROM pg_class WHERE relnamespace = 'errata'::regnamespace AND relname = partition);
        -- Another node may be making it. Read once more, and from the table: what is looked up by to_regclass() is not
        -- forgotten while this lock is waited for.
        PERFORM pg_advisory_xact_lock(lock);
        CONTINUE WHEN EXISTS (
          SELECT FROM pg_class WHERE relnamespace = 'errata'::regnamespace AND relname = partition);

        first := errata.first_id(week);
        below := errata.first_id(week + span);
        EXECUTE format('LOCK TABLE errata.%I IN ACCESS EXCLUSIVE MODE', rest);
        EXECUTE format(
          'SELECT count(*) FROM (SELECT FROM errata.%I WHERE %I >= $1 AND %I < $2 LIMIT $3 + 1) AS strays',
          rest, key, key) INTO strays USING first, below, movable;
        CONTINUE WHEN strays > movable;

        SELECT string_agg(option, ', ') INTO options FROM (
          SELECT unnest(reloptions) FROM pg_class WHERE oid = to_regclass(format('errata.%I', rest))
          UNION ALL
          SELECT 'toast.' || unnest(t.reloptions)
          FROM pg_class AS c JOIN pg_class AS t ON t.oid = c.reltoastrelid
          WHERE c.oid = to_regclass(format('errata.%I', rest))
        ) AS o (option);
        EXECUTE format('CREATE TABLE errata.%I (LIKE errata.%I INCLUDING ALL) WITH (%s)', partition, rest, options);
        IF strays > 0 THEN
          EXECUTE format(
            'WITH moved AS (DELETE FROM errata.%I WHERE %I >= $1 AND %I < $2 RETURNING *)
             INSERT INTO errata.%I SELECT * FROM moved',
            rest, key, key, partition) USING first, below;
        END IF;
        EXECUTE format('ALTER TABLE errata.%I ATTACH PARTITION errata.%I FOR VALUES FROM (%s) TO (%s)',
          parent, partition, first, below);
        made := made + 1;
      END LOOP;
      RETURN made;
    END
    $$`

  // Returns the week in which the calling transaction stores events, and keeps it for that transaction. A transaction
  // of one generation must see all events of earlier ones. It therefore waits for writers of the previous generation,
  // and no new ones can start. Call it in its own statement, so that the next one sees what it waited for.
  yield* sql`
    CREATE FUNCTION errata.enter_week() RETURNS integer
    LANGUAGE plpgsql VOLATILE
    AS $$
    DECLARE
      class CONSTANT integer := hashtext('errata.weeks');
      entered CONSTANT text := current_setting('errata_week.errata', true);
      settled CONSTANT text := current_setting('errata_settled.errata', true);
      week integer;
    BEGIN
      IF entered <> '' THEN RETURN entered; END IF;

      week := errata.week_of(errata.now() + (clock_timestamp() - statement_timestamp()));
      -- A clock that was set back does not lead back.
      IF settled <> '' AND settled::integer > week THEN week := settled; END IF;
      PERFORM pg_advisory_xact_lock_shared(class, errata.generation_of(week));
      -- The lock may have been waited for, and whoever had it has gone on in the belief that nobody else is to come.
      IF errata.week_of(errata.now() + (clock_timestamp() - statement_timestamp())) > week THEN
        RAISE serialization_failure USING MESSAGE = 'a new week has begun';
      END IF;

      -- Once in a session and week: after that nobody stores in the last generation.
      IF settled IS DISTINCT FROM week::text THEN
        BEGIN
          PERFORM pg_advisory_xact_lock(class, errata.generation_of(errata.generation_of(week) - 1));
          -- Gives the lock back, with the subtransaction.
          RAISE SQLSTATE 'EW000';
        EXCEPTION WHEN SQLSTATE 'EW000' THEN
          PERFORM set_config('errata_settled.errata', week::text, false);
        END;
      END IF;
      PERFORM set_config('errata_week.errata', week::text, true);
      RETURN week;
    END
    $$`
})
