import { type GroupId, type Note, type NoteId, Page, type ProjectId, type UserId } from "@errata/core"
import { type NewNote, NoteStore } from "@errata/core/ports"
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import * as GroupTree from "./internal/GroupTree.js"
import * as LiveProjects from "./internal/LiveProjects.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int8, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Inserts notes and updates the counts of their groups; `then` selects from the `inserted` rows. */
  const insert = Effect.fnUntraced(function* (notes: ReadonlyArray<NewNote>, then: Statement.Fragment) {
    const projectIds = [...new Set(notes.map((note) => note.projectId))]
    const { ids } = yield* Buckets.nextIds(sql, "notes", notes.length)
    return yield* sql`
      WITH inserted AS (
        INSERT INTO errata.notes (id, ${sql.literal(inserted.columns)}) OVERRIDING SYSTEM VALUE
        SELECT ${Buckets.idAt(sql, ids)}, ${sql.literal(inserted.values)} FROM ${inserted.rows(sql, notes)}
        RETURNING *
      ),
      counted AS (
        UPDATE errata.groups AS g SET notes_count = g.notes_count + added.count
        FROM (
          SELECT own.project_id, coalesce(own.merged_into_id, own.id) AS id, count(*)::integer AS count
          FROM inserted JOIN errata.groups AS own
            ON own.project_id = inserted.project_id AND own.id = inserted.group_id
          WHERE own.project_id = ANY (${projectIds}::bigint[])
          GROUP BY 1, 2
        ) AS added
        WHERE g.project_id = added.project_id AND g.id = added.id AND g.project_id = ANY (${projectIds}::bigint[])
      )
      ${then}`
  })

  const select = (
    notes: Statement.Fragment,
    rest: Statement.Fragment,
  ): Effect.Effect<ReadonlyArray<Note>, SqlError.SqlError> =>
    Effect.map(sql`${selected(notes)} ${rest}`, (rows) => rows.map(toNote))

  const selected = (notes: Statement.Fragment) => sql`
    SELECT ${sql.literal(noteColumns)}
    FROM ${notes} AS n LEFT JOIN errata.users AS u ON u.id = n.user_id`

  /** Notes on a group and the groups merged into it, as the root's. At most the newest `limit` of each. */
  const inTree = (projectId: ProjectId, groupId: GroupId, where: Statement.Fragment, limit: number) => sql`(
    SELECT own.id, own.project_id, tree.root_id AS group_id, own.user_id, own.content, own.automated, own.created_at
    FROM (${GroupTree.idsOf(sql, projectId, groupId)}) AS tree
    CROSS JOIN LATERAL (
      SELECT * FROM errata.notes AS note
      WHERE note.project_id = ${projectId} AND note.group_id = tree.id AND ${where}
      ORDER BY note.id DESC LIMIT ${limit}
    ) AS own
  )`

  return NoteStore.of({
    append: (notes) => insert(notes, sql`SELECT`).pipe(Effect.asVoid, named("NoteStore.append")),

    insert: (note) =>
      insert([note], selected(sql`inserted`)).pipe(
        Effect.map((rows) => toNote(rows[0]!)),
        named("NoteStore.insert"),
      ),

    list: (projectId, groupId, page) => {
      const before = sql`note.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`
      return select(
        inTree(projectId, groupId, before, page.limit + 1),
        sql`ORDER BY n.id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((notes) => Page.fromRows(notes, page)),
        named("NoteStore.list"),
      )
    },

    recent: (projectId, since, limit) =>
      sql`
        SELECT ${sql.literal(recentRows.select("n", { groupId: "coalesce(g.merged_into_id, n.group_id)" }))}
        FROM (
          SELECT * FROM errata.notes AS n
          WHERE n.project_id = ${projectId} AND n.created_at >= ${toDate(since)}
          ORDER BY n.created_at DESC, n.id DESC LIMIT ${limit}
        ) AS n
        CROSS JOIN LATERAL (
          SELECT merged_into_id FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.id = n.group_id LIMIT 1
        ) AS g
        ORDER BY n.created_at DESC, n.id DESC`.pipe(
        Effect.map((rows) => rows.map(recentRows.read)),
        byIndex(sql),
        named("NoteStore.recent"),
      ),

    find: (projectId, groupId, id) =>
      select(inTree(projectId, groupId, sql`note.id = ${id}`, 1), sql``).pipe(
        Effect.map(Array.head),
        named("NoteStore.find"),
      ),

    place: (id, projectIds) =>
      sql`
        SELECT n.project_id, coalesce(g.merged_into_id, n.group_id) AS group_id
        FROM ${LiveProjects.among(sql, projectIds)}
        CROSS JOIN LATERAL (
          SELECT n.project_id, n.group_id FROM errata.notes AS n
          WHERE n.project_id = p.id AND n.id = ${id} LIMIT 1
        ) AS n
        JOIN errata.groups AS g ON g.project_id = n.project_id AND g.id = n.group_id`.pipe(
        Effect.map((rows) => Option.map(Array.head(rows), placeRows.read)),
        named("NoteStore.place"),
      ),

    remove: (projectId, groupId, id) =>
      sql`
        WITH gone AS (
          DELETE FROM errata.notes AS n USING (${GroupTree.idsOf(sql, projectId, groupId)}) AS tree
          WHERE n.project_id = ${projectId} AND n.group_id = tree.id AND n.id = ${id} RETURNING n.id
        ),
        counted AS (
          UPDATE errata.groups SET notes_count = greatest(notes_count - 1, 0)
          WHERE project_id = ${projectId} AND id = ${groupId} AND EXISTS (SELECT 1 FROM gone)
        )
        SELECT id FROM gone`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("NoteStore.remove"),
      ),
  })
})

export const layer = Layer.effect(NoteStore, make)

// internal

const written = {
  projectId: int8<ProjectId>(),
  groupId: int8<GroupId>(),
  userId: nullable(int8<UserId>()),
  content: text(),
  automated: boolean,
  createdAt: time,
}

const inserted = Batch.ofFields<NewNote>(written, "position")

const noteRows = Rows.make({
  id: int8<NoteId>(),
  ...written,
  userName: nullable(text()),
  userEmailAddress: nullable(text()),
})

const recentRows = Rows.make({
  groupId: int8<GroupId>(),
  content: text(),
  automated: boolean,
  createdAt: time,
})

const placeRows = Rows.make({ projectId: int8<ProjectId>(), groupId: int8<GroupId>() })

/** Columns with the author as `u`, which is null for a deleted user. */
const noteColumns = noteRows.select("n", {
  userId: "u.id",
  userName: "u.name",
  userEmailAddress: "u.email_address",
})

const toNote = (row: object): Note => {
  const { userEmailAddress, userId, userName, ...note } = noteRows.read(row)
  const user =
    userId === null ? null : { id: userId, name: userName ?? "", emailAddress: userEmailAddress ?? "" }
  return { ...note, user }
}
