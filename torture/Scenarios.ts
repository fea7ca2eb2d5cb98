import type { Scenario } from "./Scenario.js"
import * as Bombs from "./scenarios/Bombs.js"
import * as GracefulStops from "./scenarios/GracefulStops.js"
import * as KeylessBodies from "./scenarios/KeylessBodies.js"
import * as LargeEnvelopes from "./scenarios/LargeEnvelopes.js"
import * as TwoNodes from "./scenarios/TwoNodes.js"

export const scenarios: ReadonlyArray<Scenario> = [
  GracefulStops.scenario,
  TwoNodes.scenario,
  KeylessBodies.scenario,
  LargeEnvelopes.scenario,
  Bombs.scenario,
]

/** What is measured for `docs/reliability.md` and gives no verdict of its own. */
export const figures: ReadonlyArray<Scenario> = [KeylessBodies.figure, Bombs.figure]
