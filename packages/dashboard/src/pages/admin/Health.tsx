/** The state of the instance: its checks, the intake of the last hour, and dead letters. */
import type { IngestProtection } from "@errata/api/promise"
import { healthQuery } from "../../data/health.js"
import { useCan } from "../../data/me.js"
import { ingestProtectionQuery } from "../../data/policies.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { bytes, count, share } from "../../text/Numbers.js"
import { DeadLetters } from "./DeadLetters.js"
import { adviceOn, nameOf, summaryOf } from "./healthText.js"

export const Health = () => {
  const health = useQuery(healthQuery)
  return (
    <>
      <Loaded query={health} name="checks">
        {({ checks, ready, warnings }) => (
          <>
            <p class={ready ? "health ready" : "health failing"} role="status">
              {summaryOf(checks, warnings)}
            </p>
            <Intake />
            <Checks checks={checks} warnings={warnings} />
          </>
        )}
      </Loaded>
      {useCan("ingest.inspect") && <DeadLetters />}
    </>
  )
}

// internal

type Details = Awaited<ReturnType<typeof healthQuery.queryFn>>

/** The failing ones first, with what to do. */
const Checks = ({ checks, warnings }: Pick<Details, "checks" | "warnings">) => {
  const failing = checks.filter(({ ok }) => !ok)
  return (
    <Card title="Checks">
      {failing.length + warnings.length > 0 && (
        <ul class="rows">
          {failing.map(({ code, name }) => (
            <Finding key={name} state="failing" name={nameOf(name)} advice={adviceOn(code ?? name)} />
          ))}
          {warnings.map(({ code }) => (
            <Finding key={code} state="warning" name={nameOf(code)} advice={adviceOn(code)} />
          ))}
        </ul>
      )}
      <ul class="passing" aria-label="Checks that pass">
        {checks
          .filter(({ ok }) => ok)
          .map(({ name }) => (
            <li key={name}>
              <span aria-hidden="true">✓</span> {nameOf(name)}
            </li>
          ))}
      </ul>
    </Card>
  )
}

const Finding = ({
  state,
  name,
  advice,
}: {
  readonly state: "failing" | "warning"
  readonly name: string
  readonly advice: string
}) => (
  <li>
    <div class="grow">
      <b>{name}</b> <span class={state === "failing" ? "tag bad" : "tag warn"}>{state}</span>
      <p class="faint">{advice}</p>
    </div>
  </li>
)

const Intake = () => {
  const isAllowed = useCan("policies.read")
  const { data } = useQuery<IngestProtection>({
    ...ingestProtectionQuery,
    enabled: isAllowed,
    refetchInterval: pollEvery(5_000),
  })
  if (!isAllowed) return null
  const { max_pending_ingest_bytes: most = 0, pending_ingest_bytes: pending = 0 } = data ?? {}
  return (
    // Its place is kept while it loads.
    <dl class="tiles" aria-busy={data === undefined}>
      <Tile
        label="Queue"
        value={data === undefined ? "—" : bytes(pending)}
        note={`${share(pending, most)} of ${bytes(most)}`}
      />
      <Tile
        label="Rejected in the last hour"
        value={countOr(data?.recent_rejections)}
        note="requests, by ingest protection"
      />
      <Tile
        label="Truncated in the last hour"
        value={countOr(data?.recent_truncations)}
        note="events over the limits"
      />
    </dl>
  )
}

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
