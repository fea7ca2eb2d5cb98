import { SqlClient } from "@effect/sql"
import { NoteStore } from "@errata/core"
import { Effect, Layer } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return NoteStore.of({
    append: (notes) =>
      sql`
        WITH notes AS (
          INSERT INTO errata.notes (project_id, group_id, user_id, content, automated, created_at)
          SELECT project_id, group_id, user_id, content, automated, to_timestamp(created_at / 1000)
          FROM unnest(
            ${PgLiteral.numbers(notes.map((note) => note.projectId))}::bigint[],
            ${PgLiteral.numbers(notes.map((note) => note.groupId))}::bigint[],
            ${PgLiteral.numbers(notes.map((note) => note.userId))}::bigint[],
            ${PgLiteral.texts(notes.map((note) => note.content))}::text[],
            ${PgLiteral.booleans(notes.map((note) => note.automated))}::boolean[],
            ${PgLiteral.numbers(notes.map((note) => note.createdAt.epochMillis))}::float8[]
          ) AS note (project_id, group_id, user_id, content, automated, created_at)
          RETURNING project_id, group_id
        )
        UPDATE errata.groups AS g SET notes_count = g.notes_count + added.count
        FROM (SELECT project_id, group_id, count(*)::integer AS count FROM notes GROUP BY 1, 2) AS added
        WHERE g.project_id = added.project_id AND g.id = added.group_id`.pipe(
        Effect.asVoid,
        named("NoteStore.append"),
      ),
  })
})

export const layer = Layer.effect(NoteStore, make)
