/** The queue and its neighbors, accessed through SQL where the server has no interface for it. */
import type { Payload } from "@errata/core/ports"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { decompress } from "../../../../storage-postgres/src/internal/Compression.js"
import * as Segments from "../../../../storage-postgres/src/internal/Segments.js"
import { until } from "./Wait.js"

export const query = <A extends pg.QueryResultRow>(
  url: Redacted.Redacted,
  statement: string,
): Effect.Effect<ReadonlyArray<A>> =>
  connected(url, async (client) => (await client.query<A>(statement)).rows)

/** Ends the connections of Errata's role to a database that takes no new ones. A terminated backend may end later. */
export const endConnections = (administration: Redacted.Redacted, database: string): Effect.Effect<void> =>
  until("no connection is left", async () => {
    const left = await Effect.runPromise(
      query(
        administration,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '${database}' AND usename = current_user`,
      ),
    )
    return left.length === 0
  })

/** Replaces the bodies of accepted events. */
export const replaceBodies = (
  url: Redacted.Redacted,
  bodyOf: (payload: Payload) => Uint8Array,
): Effect.Effect<void> =>
  connected(url, async (client) => {
    const { rows } = await client.query<StoredSegment>(
      `SELECT s.id, s.project_id AS "projectId", s.index_bytes AS "indexBytes", s.block_bytes AS "blockBytes", s.body,
         d.block_bytes AS "dictionaryBytes", d.body AS "dictionaryBody"
       FROM errata.segments AS s LEFT JOIN errata.segments AS d ON (d.project_id, d.id) = (s.project_id, s.dictionary_id)
       WHERE s.payloads_count > 0`,
    )
    for (const row of rows) {
      const dictionary = row.dictionaryBody && decompress(row.dictionaryBody, row.dictionaryBytes!)
      const payloads = Segments.unpack(Segments.blockOf({ ...row, dictionary }), row)
      const [segment] = Segments.pack(payloads.map((payload) => ({ ...payload, body: bodyOf(payload) })))
      await client.query(
        `UPDATE errata.segments SET bytes = $1, index_bytes = $2, block_bytes = $3, body = $4, dictionary_id = NULL
         WHERE id = $5`,
        [segment!.bytes, segment!.indexBytes, segment!.block.byteLength, segment!.stored, row.id],
      )
    }
  })

/** Expires all leases of batches, as if the lease time had passed. */
export const expireLeases = (url: Redacted.Redacted): Effect.Effect<void> =>
  connected(url, async (client) => {
    const { rows } = await client.query(
      "SELECT id FROM errata.pending_batches WHERE claimed_until IS NOT NULL",
    )
    // One row per transaction: a statement that locks several can deadlock with a recorder.
    for (const { id } of rows) {
      await client.query("UPDATE errata.pending_batches SET claimed_until = now() WHERE id = $1", [id])
    }
  })

/** The counts that recording maintains, and the number of reports. */
export const counts = (url: Redacted.Redacted) =>
  Effect.map(
    query<Counts>(
      url,
      `SELECT
        (SELECT count(*) FROM errata.reports)::integer AS reports,
        (SELECT count(DISTINCT event_id) FROM errata.reports)::integer AS events,
        (SELECT coalesce(sum(count), 0) FROM (
          SELECT count FROM errata.group_tags WHERE key = 'load'
          UNION ALL
          -- Counted, and not added to the group's yet.
          SELECT (g.document->2->>(i + 1))::bigint
          FROM errata.uncounted AS u, json_array_elements(u.tags::json->'groups') AS g (document),
            generate_series(0, json_array_length(g.document->2) - 2, 2) AS i
          WHERE u.tags::json->'tags'->((g.document->2->>i)::integer)->>0 = 'load'
        ) AS counted)::integer AS tags,
        (SELECT count(*) FROM errata.pending_batches)::integer AS pending,
        (SELECT count(*) FROM errata.dead_letters)::integer AS dead_letters`,
    ),
    ([row]) => row!,
  )

export interface Counts {
  readonly reports: number
  readonly events: number
  /** Count of the tag that every event of a load has. */
  readonly tags: number
  readonly pending: number
  readonly dead_letters: number
}

// internal

interface StoredSegment extends Omit<Segments.StoredBlock, "dictionary"> {
  readonly id: string
  readonly dictionaryBytes: number | null
  readonly dictionaryBody: Uint8Array | null
}

const connected = <A>(url: Redacted.Redacted, use: (client: pg.Client) => Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: Redacted.value(url) })
    client.on("error", () => {})
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  })
