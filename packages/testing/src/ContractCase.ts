/**
 * The storage contract as named effects, which `StorageContract` registers with a test runner. Run directly, they also
 * show that a broken storage fails.
 */

import { type Services, StorageError } from "@errata/core"
import { Cause, Clock, Context, Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

/** The stores of another node on the same storage. */
export class SecondNode extends Context.Service<SecondNode, Context.Context<Services.Stores>>()(
  "@errata/testing/SecondNode",
) {}

/** The clock for leases of the storage under test. */
export class StorageClock extends Context.Service<
  StorageClock,
  { readonly advance: (duration: Duration.Duration) => Effect.Effect<void> }
>()("@errata/testing/StorageClock") {}

/** Advances the clocks of the storage and of the current fiber. */
export const advance = (duration: Duration.Input): Effect.Effect<void, never, StorageClock> =>
  Effect.flatMap(StorageClock, (clock) =>
    Effect.andThen(clock.advance(Duration.fromInputUnsafe(duration)), adjustTestClock(duration)),
  )

/** One rule of a port. It fails or dies if the storage breaks the rule. */
export interface ContractCase {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, Services.Stores | SecondNode | StorageClock>
}

/** The rules of one port. */
export interface ContractSuite {
  readonly name: string
  readonly cases: ReadonlyArray<ContractCase>
}

/** Makes a case from a rule and its check. */
export const contractCase = (name: string, run: ContractCase["run"]): ContractCase => ({ name, run })

/** Runs an effect on the other node. Not within a transaction: the transaction's connection would be used. */
export const onSecondNode = <A, E, R extends Services.Stores>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, SecondNode> =>
  Effect.flatMap(SecondNode, (stores) => Effect.provide(effect, stores as Context.Context<R>))

/** Runs an effect on the real clock. Effects that retry after a pause would wait forever on the test clock. */
export const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Runs a case on its own test clock, which starts later than the clocks of all earlier cases ended. */
export const runCase = ({ run }: ContractCase): ContractCase["run"] =>
  Effect.suspend(() => TestClock.setTime(epoch + era++ * eraLength)).pipe(
    Effect.andThen(run),
    Effect.provide(testServices),
  )

/** Time limit of a case in ms, far more than a slow machine needs. */
export const caseMillis = 120_000

/** Runs a case. The error message names the rule and the observation. */
export const checkRule = (
  { name: suite }: ContractSuite,
  contractCase: ContractCase,
): Effect.Effect<void, Error, Services.Stores | SecondNode | StorageClock> =>
  // The test clock stands still, so the time limit is outside the case.
  Effect.timeoutOrElse(runCase(contractCase), {
    duration: caseMillis,
    orElse: () =>
      Effect.fail(new Error(`no end within ${caseMillis / 1000} s. Does a call wait for a lock?`)),
  }).pipe(
    Effect.catchCause((cause) => Effect.fail(broken(`${suite}: ${contractCase.name}`, Cause.squash(cause)))),
  )

/** Resets the start time of cases. For callers with a new storage, or test clocks would reach the real time. */
export const restartTime: Effect.Effect<void> = Effect.sync(() => {
  era = 0
})

// internal

/** Changes the error's own message, to keep the difference that an assertion shows. */
const broken = (rule: string, error: unknown): Error => {
  const failure = error instanceof Error ? error : new Error(String(error))
  const cause = failure instanceof StorageError ? `\nCause: ${String(failure.cause)}` : ""
  return Object.defineProperty(failure, "message", {
    value: `The storage breaks a rule of ${rule}\nObserved: ${failure.message}${cause}`,
    configurable: true,
    writable: true,
  })
}

/** The real clock cannot be adjusted. */
const adjustTestClock = (duration: Duration.Input) =>
  Effect.flatMap(Effect.clockWith(Effect.succeed), (clock) =>
    "adjust" in clock ? TestClock.adjust(duration) : Effect.void,
  )

const testServices = Layer.merge(TestClock.layer(), Logger.layer([]))

/** Before the real time, which some cases use: their leases must not seem to be held by others. */
const epoch = Date.UTC(2001, 0, 1)
const eraLength = 7 * 24 * 60 * 60 * 1000
let era = 0
