/**
 * What a merge moves, in the transaction of its caller. A group can have a million reports: they are moved in
 * statements that each take a fraction of the time that a statement is given. What recorders of other groups could wait
 * for comes last, so that it is held shortly.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Group } from "@errata/core"
import { type DateTime, Effect } from "effect"
import * as PgLiteral from "./PgLiteral.js"
import { toDate } from "./PgTime.js"
import type { TagCounts } from "./TagCounts.js"

/** Moves all that belongs to the sources; saving the groups themselves is left to the caller. */
export type MoveContents = (
  target: Group,
  sources: ReadonlyArray<Group>,
  now: DateTime.Utc,
) => Effect.Effect<void, SqlError>

export const make = (sql: SqlClient.SqlClient, tagCounts: TagCounts): MoveContents => {
  /**
   * Moves the reports of a large group in ranges of their ids, or those of small groups at once. Neither form is slow
   * where the planner does not know yet how many reports the project has.
   */
  const moveReports = (target: Group, sources: ReadonlyArray<Group>) =>
    Effect.gen(function* () {
      const [large, ...others] = sources
      const ofSources =
        others.length === 0
          ? sql`project_id = ${target.projectId} AND group_id = ${large!.id}`
          : sql`project_id = ${target.projectId} AND group_id = ANY (${idsOf(sources)}::bigint[])`
      let after = 0
      while (true) {
        const rest = sql`${ofSources} AND id > ${after}`
        const [last] = yield* sql<{ readonly id: number }>`
          SELECT id FROM errata.reports WHERE ${rest} ORDER BY id OFFSET ${reportsTogether - 1} LIMIT 1`
        yield* sql`
          UPDATE errata.reports
          SET group_id = ${target.id}, origin_group_id = coalesce(origin_group_id, group_id)
          WHERE ${last === undefined ? rest : sql`${rest} AND id <= ${last.id}`}`
        if (last === undefined) return
        after = last.id
      }
    })

  /** Adds counts of the sources to the target's, the first tags after one; answers how many, and the last tag. */
  const addTags = (target: Group, sourceIds: string, after: string) =>
    Effect.map(
      sql<{ readonly added: number; readonly last: string | null }>`
        WITH summed AS (
          SELECT tag, min(key) AS key, min(value) AS value, sum(count) AS count FROM errata.group_tags
          WHERE project_id = ${target.projectId} AND group_id = ANY (${sourceIds}::bigint[]) AND tag > ${after}::uuid
          GROUP BY tag ORDER BY tag LIMIT ${tagsTogether}
        ),
        added AS (
          INSERT INTO errata.group_tags AS t (project_id, group_id, tag, key, value, count)
          SELECT ${target.projectId}, ${target.id}, tag, key, value, count FROM summed ORDER BY tag
          ON CONFLICT (project_id, group_id, tag) DO UPDATE SET count = t.count + excluded.count
        )
        SELECT count(*) AS added, (SELECT tag FROM summed ORDER BY tag DESC LIMIT 1) AS last FROM summed`,
      ([row]) => row!,
    )

  return Effect.fnUntraced(function* (target, sources, now) {
    const { projectId } = target
    const sourceIds = idsOf(sources)
    const ofSources = sql`project_id = ${projectId} AND group_id = ANY (${sourceIds}::bigint[])`
    yield* sql`
      INSERT INTO errata.group_merges (project_id, target_id, source_id, source_keys, merged_at)
      SELECT ${projectId}, ${target.id}, group_id,
        json_agg(json_build_object('algorithm', algorithm, 'key', key)), ${toDate(now)}
      FROM errata.grouping_keys WHERE ${ofSources} GROUP BY group_id`
    yield* sql`UPDATE errata.grouping_keys SET group_id = ${target.id} WHERE ${ofSources}`
    yield* Effect.forEach(together(sources), (some) => moveReports(target, some), { discard: true })
    yield* sql`
      WITH moved AS (
        UPDATE errata.notes
        SET group_id = ${target.id}, origin_group_id = coalesce(origin_group_id, group_id)
        WHERE ${ofSources} RETURNING 1
      )
      UPDATE errata.groups SET notes_count = notes_count + (SELECT count(*) FROM moved)
      WHERE project_id = ${projectId} AND id = ${target.id}`
    // From here on other merges wait.
    yield* tagCounts.addUp([target, ...sources].map((group) => group.id))
    // The sources keep their own counts: nothing lists them, and an unmerge takes them off the target again.
    let after = "00000000-0000-0000-0000-000000000000"
    while (true) {
      const { added, last } = yield* addTags(target, sourceIds, after)
      if (last === null || added < tagsTogether) break
      after = last
    }
    yield* sql`
      UPDATE errata.project_counts SET groups_count = groups_count - ${sources.length}
      WHERE project_id = ${projectId}
        AND stripe = (SELECT min(stripe) FROM errata.project_counts WHERE project_id = ${projectId})`
  })
}

// internal

const idsOf = (groups: ReadonlyArray<Group>): string => PgLiteral.numbers(groups.map((group) => group.id))

const reportsTogether = 10_000
const tagsTogether = 20_000

/** Small groups together, so that a statement each is not what a merge of many takes its time for. */
const together = (sources: ReadonlyArray<Group>): ReadonlyArray<ReadonlyArray<Group>> => {
  const all: Array<Array<Group>> = []
  let room = 0
  for (const source of sources) {
    if (all.length === 0 || source.reportsCount > room) {
      all.push([])
      room = reportsTogether
    }
    all[all.length - 1]!.push(source)
    room -= source.reportsCount
  }
  return all
}
