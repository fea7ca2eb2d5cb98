/** Registers the storage contract with vitest. */
import { type Services, StorageError } from "@errata/core"
import { AbsentStores } from "@errata/core/ports"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import { activityStoreSuite } from "./ActivityStoreSuite.js"
import { alertRulesSuite } from "./AlertRulesSuite.js"
import { alertStatesSuite } from "./AlertStatesSuite.js"
import { appStoreSuite } from "./AppStoreSuite.js"
import { artifactChunksSuite } from "./ArtifactChunksSuite.js"
import { artifactFilesSuite } from "./ArtifactFilesSuite.js"
import { artifactRetentionSuite } from "./ArtifactRetentionSuite.js"
import { artifactStoreSuite } from "./ArtifactStoreSuite.js"
import { backgroundWorkSuite } from "./BackgroundWorkSuite.js"
import { blobStoreSuite } from "./BlobStoreSuite.js"
import {
  type ContractSuite,
  caseMillis,
  checkRule,
  restartTime,
  SecondNode,
  StorageClock,
} from "./ContractCase.js"
import { credentialStoreSuite, rateLimitStoreSuite } from "./CredentialStoreSuite.js"
import { deliveryLeaseSuite } from "./DeliveryLeaseSuite.js"
import { deliveryStoreSuite } from "./DeliveryStoreSuite.js"
import { dispatcherSuite } from "./DispatcherSuite.js"
import { groupDiscardSuite } from "./GroupDiscardSuite.js"
import { groupEventStoreSuite } from "./GroupEventStoreSuite.js"
import { groupExpirySuite } from "./GroupExpirySuite.js"
import { groupListSuite } from "./GroupListSuite.js"
import { groupMergeSuite } from "./GroupMergeSuite.js"
import { groupSearchSuite } from "./GroupSearchSuite.js"
import { groupSortSuite } from "./GroupSortSuite.js"
import { groupStoreSuite } from "./GroupStoreSuite.js"
import { groupUnmergeSuite } from "./GroupUnmergeSuite.js"
import { groupUsersSuite } from "./GroupUsersSuite.js"
import { healthStoreSuite } from "./HealthStoreSuite.js"
import { hostedMapsSuite } from "./HostedMapsSuite.js"
import { ingestStatisticsSuite } from "./IngestStatisticsSuite.js"
import { intakeGuardSuite } from "./IntakeGuardSuite.js"
import { jobStoreSuite } from "./JobStoreSuite.js"
import { mappingSuite } from "./MappingSuite.js"
import { memberMailStoreSuite } from "./MemberMailStoreSuite.js"
import { noteStoreSuite } from "./NoteStoreSuite.js"
import { notificationSuite } from "./NotificationSuite.js"
import { oauthStoreSuite } from "./OAuthStoreSuite.js"
import { outboxSuite } from "./OutboxSuite.js"
import { pendingPayloadsSuite } from "./PendingPayloadsSuite.js"
import { placesSuite } from "./PlacesSuite.js"
import { policiesSuite } from "./PoliciesSuite.js"
import { policyStoreSuite } from "./PolicyStoreSuite.js"
import { projectMuteSuite } from "./ProjectMuteSuite.js"
import { projectRemovalSuite } from "./ProjectRemovalSuite.js"
import { projectStoreSuite } from "./ProjectStoreSuite.js"
import { projectsSuite } from "./ProjectsSuite.js"
import { rateDrawSuite } from "./RateDrawSuite.js"
import { recorderFaultSuite } from "./RecorderFaultSuite.js"
import { recorderFeedbackSuite } from "./RecorderFeedbackSuite.js"
import { recorderReleasesSuite } from "./RecorderReleasesSuite.js"
import { recorderSuite } from "./RecorderSuite.js"
import { releaseStoreSuite } from "./ReleaseStoreSuite.js"
import { reportListSuite } from "./ReportListSuite.js"
import { reportStoreSuite } from "./ReportStoreSuite.js"
import { retentionJobSuite } from "./RetentionJobSuite.js"
import { retentionStoreSuite } from "./RetentionStoreSuite.js"
import { sessionsSuite } from "./SessionsSuite.js"
import { sharedClockSuite } from "./SharedClockSuite.js"
import { sourcemapOriginsSuite } from "./SourcemapOriginsSuite.js"
import { sourcemapReportStoreSuite } from "./SourcemapReportStoreSuite.js"
import { sourcemapStoreSuite } from "./SourcemapStoreSuite.js"
import { sourcemapWorkerSuite } from "./SourcemapWorkerSuite.js"
import { storageSuite } from "./StorageSuite.js"
import { tagsSuite } from "./TagsSuite.js"
import { targetStoreSuite } from "./TargetStoreSuite.js"
import { userStoreSuite } from "./UserStoreSuite.js"

/** These suites remove old data and advance the clock by years. Data of other suites would cost them minutes. */
const agingSuites: ReadonlyArray<ContractSuite> = [
  activityStoreSuite,
  retentionStoreSuite,
  retentionJobSuite,
  sharedClockSuite,
  artifactRetentionSuite,
]

/** All suites of the storage contract. */
export const storageSuites: ReadonlyArray<ContractSuite> = [
  storageSuite,
  projectStoreSuite,
  projectRemovalSuite,
  projectsSuite,
  projectMuteSuite,
  userStoreSuite,
  credentialStoreSuite,
  rateLimitStoreSuite,
  sessionsSuite,
  oauthStoreSuite,
  sourcemapOriginsSuite,
  sourcemapStoreSuite,
  hostedMapsSuite,
  artifactStoreSuite,
  artifactFilesSuite,
  artifactChunksSuite,
  blobStoreSuite,
  releaseStoreSuite,
  groupStoreSuite,
  sourcemapReportStoreSuite,
  mappingSuite,
  sourcemapWorkerSuite,
  groupExpirySuite,
  groupListSuite,
  groupSortSuite,
  tagsSuite,
  groupSearchSuite,
  groupMergeSuite,
  groupUnmergeSuite,
  groupDiscardSuite,
  reportStoreSuite,
  reportListSuite,
  noteStoreSuite,
  placesSuite,
  appStoreSuite,
  deliveryStoreSuite,
  deliveryLeaseSuite,
  notificationSuite,
  targetStoreSuite,
  memberMailStoreSuite,
  alertRulesSuite,
  alertStatesSuite,
  dispatcherSuite,
  policyStoreSuite,
  ingestStatisticsSuite,
  rateDrawSuite,
  intakeGuardSuite,
  policiesSuite,
  pendingPayloadsSuite,
  recorderSuite,
  groupUsersSuite,
  recorderFeedbackSuite,
  recorderReleasesSuite,
  recorderFaultSuite,
  groupEventStoreSuite,
  outboxSuite,
  jobStoreSuite,
  backgroundWorkSuite,
  healthStoreSuite,
  ...agingSuites,
]

/** A storage under test, and the options of its contract. */
export interface StorageUnderTest<E> {
  readonly layer: Layer.Layer<Services.Stores, E>
  /**
   * Another node on the same storage, for example with its own connection pool. Resources that both layers share, such
   * as the database, are built once. Without it the same stores act as the second node.
   */
  readonly secondNode?: Layer.Layer<Services.Stores, E>
  /** Advances the storage's own clock. Without it, leases follow the clock of the current fiber. */
  readonly clock?: Layer.Layer<StorageClock, E>
}

/** Both nodes of a storage as one layer, as the contract's cases need it. */
export const nodes = <E>({
  layer,
  secondNode = layer,
  clock = Layer.succeed(StorageClock, { advance: () => Effect.void }),
}: StorageUnderTest<E>): Layer.Layer<Services.Stores | SecondNode | StorageClock, E> =>
  Layer.mergeAll(
    layer,
    clock,
    Layer.flatMap(secondNode, (stores) => Layer.succeed(SecondNode, stores)),
  )

/**
 * Runs the contract, or some of its suites, on a storage, one after the other. Suites about age get a separate storage,
 * built from `layer`. The storage may contain other data, but its queue must not be used by others meanwhile. Cases that
 * need a part of `AbsentStores` are skipped.
 */
export const storageContract = <E>(
  name: string,
  storage: StorageUnderTest<E>,
  suites: ReadonlyArray<ContractSuite> = storageSuites,
): void => {
  const aging = suites.filter((suite) => agingSuites.includes(suite))
  const others = suites.filter((suite) => !agingSuites.includes(suite))
  for (const together of [others, aging]) {
    if (together.length > 0) describe(name, () => register(storage, together))
  }
}

// internal

/** Registers suites that share one storage. */
const register = <E>(storage: StorageUnderTest<E>, suites: ReadonlyArray<ContractSuite>): void => {
  const runtime = ManagedRuntime.make(nodes(storage))
  // Storages that a process tests one after the other share the start times of cases, which must stay in the past.
  beforeAll(() => runtime.runPromise(restartTime), buildMillis)
  afterAll(() => runtime.dispose(), buildMillis)
  for (const suite of suites) {
    describe(suite.name, () => {
      for (const contractCase of suite.cases) {
        // Runners end slow cases without a reason, so this limit is longer than that of the case.
        it(contractCase.name, { timeout: 2 * caseMillis }, async ({ signal, skip }) => {
          const exit = await runtime.runPromiseExit(checkRule(suite, contractCase), { signal })
          if (Exit.isSuccess(exit)) return
          const error = Cause.squash(exit.cause)
          if (error instanceof StorageError && error.cause instanceof AbsentStores.PortAbsent) {
            skip(error.cause.message)
          }
          // The error itself, to keep the difference that an assertion shows.
          throw error
        })
      }
    })
  }
}

/** Starting a database takes time. In ms. */
const buildMillis = 60_000
