/** The size of the schema's tables with their indexes. Not of the database, which may belong to an application. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Buckets from "./Buckets.js"
import * as Distribution from "./Distribution.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

export const read = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(Buckets.detect(sql), (count) =>
    count > 0
      ? Distribution.bytes(sql)
      : sql`
          SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
          WHERE relnamespace = 'errata'::regnamespace AND relkind = 'r'`.pipe(
          Effect.map(([row]) => sizeRows.read(row!).bytes),
        ),
  )

// internal

const sizeRows = Rows.make({ bytes: int8() })
