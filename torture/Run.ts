/** Runs scenarios one after the other and collects their findings. */
import * as Chance from "./lib/Chance.js"
import type { Cleanup } from "./lib/Cleanup.js"
import * as Findings from "./lib/Findings.js"
import * as Storage from "./lib/Storage.js"
import { NotRun, type Scenario, type Size } from "./Scenario.js"

export interface Outcome {
  readonly scenario: string
  readonly storage: Storage.StorageKind
  readonly seed: number
  readonly seconds: number
  readonly verdict: "held" | "broken" | "not run"
  readonly checked: number
  readonly broken: ReadonlyArray<string>
  readonly figures: Readonly<Record<string, Findings.Figure>>
}

export interface RunOptions {
  readonly bin: string
  readonly size: Size
  readonly seed: number
  readonly samples: ReadonlyArray<Buffer>
  /** A PostgreSQL server on which databases can be created. */
  readonly databaseServer: () => Promise<string>
  readonly cleanup: Cleanup
}

export const one = async (
  scenario: Scenario,
  kind: Storage.StorageKind,
  options: RunOptions,
): Promise<Outcome> => {
  const { bin, samples, seed, size } = options
  const findings = Findings.make()
  const cleanup = options.cleanup.fork()
  const began = performance.now()
  let sources = 0
  let notRun: string | null = null
  try {
    await scenario.run({
      bin,
      kind,
      size,
      samples,
      chance: Chance.make(seed),
      findings,
      cleanup,
      storage: async () =>
        kind === "embedded"
          ? Storage.embedded(cleanup)
          : Storage.postgres(await options.databaseServer(), cleanup),
      source: () => (0x70000000 + sources++).toString(16),
    })
  } catch (error) {
    if (error instanceof NotRun) notRun = error.message
    else findings.check(false, () => (error instanceof Error ? error.message : String(error)))
  }
  for (const failure of await cleanup.close()) {
    findings.check(false, () => `What was started could not be ended: ${failure}`)
  }
  return {
    scenario: scenario.name,
    storage: kind,
    seed,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    verdict: notRun !== null ? "not run" : findings.broken.length === 0 ? "held" : "broken",
    checked: findings.checked,
    broken: notRun !== null ? [notRun] : findings.broken,
    figures: findings.figures,
  }
}
