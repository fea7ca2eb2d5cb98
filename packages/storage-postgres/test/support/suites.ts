/** Suites of the storage contract. */
import { storageSuites } from "@errata/testing"

/** Returns the suites of these names. */
export const suitesOf = (names: ReadonlyArray<string>) =>
  names.map((name) => {
    const suite = storageSuites.find((suite) => suite.name === name)
    if (suite === undefined) throw new Error(`There is no suite ${name}`)
    return suite
  })

/** Suites that together write and read every table. The others repeat the same statements and take longer. */
export const everyTable = suitesOf([
  "Storage",
  "ProjectStore",
  "ProjectStore.remove",
  "Project mutes",
  "UserStore",
  "SourcemapStore origins",
  "GroupStore.list",
  "GroupStore.merge",
  "GroupStore sweeps",
  "ReportStore",
  "ReportStore.list",
  "NoteStore",
  "AppStore",
  "TargetStore",
  "DeliveryStore",
  "PolicyStore",
  "IngestStatistics",
  "GroupEventStore",
  "JobStore",
  "PendingPayloads",
  "Recorder",
])
