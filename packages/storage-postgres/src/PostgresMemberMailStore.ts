import {
  type DigestInterval,
  type DigestSubscription,
  defaultMemberMail,
  type MailMember,
  type MailMode,
  type MemberMail,
  type PausedAddress,
  type ProjectId,
  type UserId,
} from "@errata/core"
import { MemberMailStore } from "@errata/core/ports"
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const selectPaused = (where: Statement.Fragment) =>
    Effect.map(
      sql`SELECT ${sql.literal(pausedRows.select())} FROM errata.paused_addresses WHERE ${where}`,
      (rows) => rows.map(toPaused),
    )

  return MemberMailStore.of({
    find: (projectId, userId) =>
      sql`
        SELECT mode, digest FROM errata.member_mail WHERE project_id = ${projectId} AND user_id = ${userId}`.pipe(
        Effect.map((rows): Option.Option<MemberMail> => Option.map(Array.head(rows), settingRows.read)),
        named("MemberMailStore.find"),
      ),

    put: (projectId, userId, { digest, mode }, now) =>
      sql`
        INSERT INTO errata.member_mail AS m (project_id, user_id, mode, digest, digest_at)
        VALUES (${projectId}, ${userId}, ${mode}, ${digest}, ${digest === "never" ? null : toDate(now)})
        ON CONFLICT (project_id, user_id) DO UPDATE SET
          mode = excluded.mode, digest = excluded.digest,
          digest_at = CASE WHEN m.digest = 'never' OR excluded.digest = 'never' THEN excluded.digest_at ELSE m.digest_at END`.pipe(
        Effect.asVoid,
        named("MemberMailStore.put"),
      ),

    members: (projectIds) =>
      sql`
        WITH projects AS MATERIALIZED (
          SELECT p.id, EXISTS (
            SELECT FROM errata.memberships AS s JOIN errata.users AS u ON u.id = s.user_id
            WHERE s.project_id = p.id AND u.active
          ) AS has_members
          FROM errata.projects AS p
          WHERE p.id = ANY (${[...new Set(projectIds)]}::bigint[]) AND p.deleted_at IS NULL
        )
        SELECT p.id AS project_id, u.id AS user_id, u.email_address,
          coalesce(m.mode, ${defaultMemberMail.mode}) AS mode, coalesce(m.digest, ${defaultMemberMail.digest}) AS digest
        FROM projects AS p
        CROSS JOIN LATERAL (
          SELECT s.user_id, bool_or(s.is_member) AS is_member FROM (
            SELECT user_id, true AS is_member FROM errata.memberships WHERE project_id = p.id
            UNION ALL
            SELECT id, false FROM errata.users WHERE role = 'admin'
          ) AS s
          GROUP BY s.user_id
        ) AS s
        JOIN errata.users AS u ON u.id = s.user_id AND u.active
        -- Looked up one by one, each in the part that its project is in.
        LEFT JOIN LATERAL (
          SELECT * FROM errata.member_mail AS m WHERE m.project_id = p.id AND m.user_id = u.id LIMIT 1
        ) AS m ON true
        WHERE s.is_member OR NOT p.has_members OR m.user_id IS NOT NULL
        ORDER BY p.id, u.id`.pipe(
        Effect.map((rows) => rows.map((row): MailMember => memberRows.read(row))),
        named("MemberMailStore.members"),
      ),

    digests: (after, limit) =>
      sql`
        SELECT m.project_id, m.user_id, m.digest, m.digest_at AS last_at
        FROM errata.member_mail AS m
        JOIN errata.projects AS p ON p.id = m.project_id AND p.deleted_at IS NULL
        JOIN errata.users AS u ON u.id = m.user_id AND u.active
        WHERE m.digest <> 'never' AND (m.project_id, m.user_id) > (${after.projectId}, ${after.userId})
          AND (u.role = 'admin' OR EXISTS (
            SELECT FROM errata.memberships AS s WHERE s.user_id = m.user_id AND s.project_id = m.project_id
          ))
        ORDER BY m.project_id, m.user_id LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row): DigestSubscription => digestRows.read(row))),
        byIndex(sql),
        named("MemberMailStore.digests"),
      ),

    advanceDigest: ({ lastAt, projectId, userId }, until) =>
      sql`
        UPDATE errata.member_mail SET digest_at = ${toDate(until)}
        WHERE project_id = ${projectId} AND user_id = ${userId} AND digest <> 'never'
          AND digest_at IS NOT DISTINCT FROM ${lastAt && toDate(lastAt)}::timestamptz
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("MemberMailStore.advanceDigest"),
      ),

    pause: ({ address, detail, pausedAt }) =>
      sql`
        INSERT INTO errata.paused_addresses (address, detail, paused_at)
        VALUES (${address}, ${detail}, ${toDate(pausedAt)}) ON CONFLICT DO NOTHING`.pipe(
        Effect.asVoid,
        named("MemberMailStore.pause"),
      ),

    pausedAmong: (addresses) =>
      selectPaused(sql`address = ANY (${addresses}::text[]) ORDER BY address`).pipe(
        named("MemberMailStore.pausedAmong"),
      ),

    paused: (after, limit) =>
      selectPaused(sql`address > ${after} ORDER BY address LIMIT ${limit}`).pipe(
        named("MemberMailStore.paused"),
      ),

    resume: (address) =>
      sql`DELETE FROM errata.paused_addresses WHERE address = ${address} RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("MemberMailStore.resume"),
      ),
  })
})

export const layer = Layer.effect(MemberMailStore, make)

// internal

const settings = { mode: text<MailMode>(), digest: text<DigestInterval>() }

const settingRows = Rows.make(settings)

const memberRows = Rows.make({
  projectId: int8<ProjectId>(),
  userId: int8<UserId>(),
  emailAddress: text(),
  ...settings,
})

const digestRows = Rows.make({
  projectId: int8<ProjectId>(),
  userId: int8<UserId>(),
  digest: text<Exclude<DigestInterval, "never">>(),
  lastAt: nullable(time),
})

const pausedRows = Rows.make({ address: text(), detail: text(), pausedAt: time })

const toPaused = (row: object): PausedAddress => pausedRows.read(row)
