/** The queue, the intake of the last hour, and the size of the database. */
import type { Health } from "@errata/api/promise"
import { useCan } from "../../data/me.js"
import { ingestProtectionQuery } from "../../data/policies.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { bytes, count, counted } from "../../text/Numbers.js"
import { queueNote, rejectionNote } from "./healthText.js"

export const HealthTiles = ({
  health: { database_bytes: databaseBytes, queue },
}: {
  readonly health: Health
}) => {
  const isAllowed = useCan("policies.read")
  const { data: protection } = useQuery({
    ...ingestProtectionQuery,
    enabled: isAllowed,
    refetchInterval: pollEvery(5_000),
  })
  return (
    <dl class="tiles">
      <Tile
        label="Queue"
        value={queue === null ? "—" : counted(queue.payloads, "payload")}
        note={queueNote(queue, protection?.max_pending_ingest_bytes)}
      />
      <Tile
        label="Recorded"
        value={queue === null || queue.recorded_per_minute === null ? "—" : count(queue.recorded_per_minute)}
        note="reports per minute"
      />
      {isAllowed && (
        <>
          <Tile
            label="Rejected in the last hour"
            value={countOr(protection?.recent_rejections)}
            note={rejectionNote(protection)}
          />
          <Tile
            label="Truncated in the last hour"
            value={countOr(protection?.recent_truncations)}
            note="events over the limits"
          />
        </>
      )}
      {databaseBytes !== null && (
        <Tile label="Database" value={bytes(databaseBytes)} note="tables and indexes of Errata" />
      )}
    </dl>
  )
}

// internal

const countOr = (value: number | undefined): string => (value === undefined ? "—" : count(value))

const Tile = ({
  label,
  value,
  note,
}: {
  readonly label: string
  readonly value: string
  readonly note: string
}) => (
  <div class="card">
    <dt>{label}</dt>
    <dd class="num">{value}</dd>
    <dd class="faint">{note}</dd>
  </div>
)
