/** The state of the instance: its checks, the queue, the workers, and dead letters. */
import type { Health as Details } from "@errata/api/promise"
import { healthQuery } from "../../data/health.js"
import { useCan } from "../../data/me.js"
import { useQuery } from "../../data/query.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { TroubledTargets } from "../alerts/TroubledTargets.js"
import { DeadLetters } from "./DeadLetters.js"
import { HealthTiles } from "./HealthTiles.js"
import { adviceOn, nameOf, summaryOf } from "./healthText.js"
import { Workers } from "./Workers.js"

export const Health = () => {
  const health = useQuery(healthQuery)
  return (
    <>
      <Loaded query={health} name="checks">
        {(details) => (
          <>
            <p class={details.ready ? "health ready" : "health failing"} role="status">
              {summaryOf(details.checks, details.warnings)}
            </p>
            <HealthTiles health={details} />
            <Checks checks={details.checks} warnings={details.warnings} />
            <Workers jobs={details.jobs} />
          </>
        )}
      </Loaded>
      <TroubledTargets isQuiet />
      {useCan("ingest.inspect") && <DeadLetters />}
    </>
  )
}

// internal

/** Failing checks first, with advice. */
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
