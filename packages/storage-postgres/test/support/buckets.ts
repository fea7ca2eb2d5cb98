/** The storage contract with projects in buckets. */
import { storageSuites } from "@errata/testing"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Distribution from "../../src/internal/Distribution.js"

/** Cases that do not apply, with the reason. Ids of different buckets are not in order of time. */
const without: Readonly<Record<string, string>> = {
  // A lease takes one bucket, so that a recording transaction changes tables of one node.
  "leases payloads as they were appended": "one lease does not have batches of two projects",
  "reports the wait of the oldest ready batch, also while it is leased": "as above",
  // Their projects are in different buckets.
  "finds groups of several projects once each, and omits missing ones":
    "the order of groups of different projects",
  "leases events unchanged and oldest first": "the order of events of different projects",
  "lists the targets of live projects in the order in which they were made, members included":
    "the order of targets of different projects",
  "are shared fairly between webhooks, up to the limit of each":
    "webhooks of one bucket take turns, and buckets do",
  "returns the projects with a report of an event, latest report first": "the order of projects",
  "lists enabled webhooks of live projects, with their projects' filters":
    "the order of webhooks of different projects",
  "lists dead letters newest first, page by page": "the order of dead letters of different projects",
  "deletes the oldest dead letters of a project beyond the bounds": "as above",
  "stores an event once for each subscribed consumer, however many nodes share it":
    "the order of events of different projects",
  "record the end of a mute by count, unless the project mutes the group":
    "the case guesses the id of the second group",
}

/** Adds the tables in which Citus would say that this server has all buckets, as a worker of a cluster. */
export const asCluster = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE pg_dist_shard AS
      SELECT oid::bigint AS shardid, oid::regclass AS logicalrelid FROM pg_class WHERE relname = 'here';
    CREATE TABLE pg_dist_placement AS SELECT shardid, 1 AS groupid FROM pg_dist_shard;
    CREATE TABLE pg_dist_partition AS
      SELECT oid::regclass AS logicalrelid, 'n' AS partmethod, 't' AS repmodel
      FROM pg_class WHERE relnamespace = 'errata'::regnamespace AND relname = ANY ('{${Distribution.onEveryNode}}');
    -- Tables of a bucket have their plain names here.
    DO $$ BEGIN
      EXECUTE replace(pg_get_functiondef('errata.buckets_with'::regproc), 'ELSE ''_[0-9]+'' END', 'ELSE '''' END');
    END $$`),
)

export const suites = storageSuites.map((suite) =>
  suite.cases.some(({ name }) => name in without)
    ? { ...suite, cases: suite.cases.filter(({ name }) => !(name in without)) }
    : suite,
)
