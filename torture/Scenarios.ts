/** All scenarios in the order in which they run. */
import type { Scenario } from "./Scenario.js"
import * as Bombs from "./scenarios/Bombs.js"
import * as Citus from "./scenarios/Citus.js"
import * as CrashLoop from "./scenarios/CrashLoop.js"
import * as DatabaseAway from "./scenarios/DatabaseAway.js"
import * as DiskFull from "./scenarios/DiskFull.js"
import * as GracefulStops from "./scenarios/GracefulStops.js"
import * as HangingStore from "./scenarios/HangingStore.js"
import * as HangingWebhooks from "./scenarios/HangingWebhooks.js"
import * as HostileJson from "./scenarios/HostileJson.js"
import * as HostileMaps from "./scenarios/HostileMaps.js"
import * as HostileUploads from "./scenarios/HostileUploads.js"
import * as KeylessBodies from "./scenarios/KeylessBodies.js"
import * as Kills from "./scenarios/Kills.js"
import * as LargeEnvelopes from "./scenarios/LargeEnvelopes.js"
import * as MappingKills from "./scenarios/MappingKills.js"
import * as Mutations from "./scenarios/Mutations.js"
import * as Notifications from "./scenarios/Notifications.js"
import * as Races from "./scenarios/Races.js"
import * as RollingUpgrade from "./scenarios/RollingUpgrade.js"
import * as SilentStops from "./scenarios/SilentStops.js"
import * as SlowSenders from "./scenarios/SlowSenders.js"
import * as StalledStops from "./scenarios/StalledStops.js"
import * as StandbyPromoted from "./scenarios/StandbyPromoted.js"
import * as TwoNodes from "./scenarios/TwoNodes.js"

export const scenarios: ReadonlyArray<Scenario> = [
  Kills.scenario,
  CrashLoop.scenario,
  GracefulStops.scenario,
  StalledStops.scenario,
  SilentStops.scenario,
  TwoNodes.scenario,
  StandbyPromoted.scenario,
  RollingUpgrade.scenario,
  MappingKills.scenario,
  Mutations.scenario,
  Races.scenario,
  SlowSenders.scenario,
  KeylessBodies.scenario,
  KeylessBodies.neighbors,
  LargeEnvelopes.scenario,
  Bombs.scenario,
  HostileMaps.scenario,
  HostileUploads.zips,
  HostileUploads.debugFiles,
  HostileJson.scenario,
  HangingStore.scenario,
  DatabaseAway.scenario,
  DiskFull.scenario,
  HangingWebhooks.scenario,
  Notifications.scenario,
  Citus.killed,
  Citus.moved,
]

/** Measurements for `docs/reliability.md`, without a verdict. */
export const figures: ReadonlyArray<Scenario> = [KeylessBodies.figure, Bombs.figure]
