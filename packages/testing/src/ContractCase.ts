/**
 * What a storage must do, as named effects. A test runner registers them (`StorageContract`); run as they are, they
 * also show that a broken storage does not pass.
 */

import { type Services, StorageError } from "@errata/core"
import { Cause, Clock, Context, Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

/** The stores of another node that works on the same storage. */
export class SecondNode extends Context.Service<SecondNode, Context.Context<Services.Stores>>()(
  "@errata/testing/SecondNode",
) {}

/** The clock by which the nodes of the storage under test lease work. */
export class StorageClock extends Context.Service<
  StorageClock,
  { readonly advance: (duration: Duration.Duration) => Effect.Effect<void> }
>()("@errata/testing/StorageClock") {}

/** Lets time pass for the storage and for the fiber that asks alike. */
export const advance = (duration: Duration.Input): Effect.Effect<void, never, StorageClock> =>
  Effect.flatMap(StorageClock, (clock) =>
    Effect.andThen(clock.advance(Duration.fromInputUnsafe(duration)), adjustTestClock(duration)),
  )

/** One promise of a port. It fails or dies where the storage does not keep it. */
export interface ContractCase {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, Services.Stores | SecondNode | StorageClock>
}

/** The rules of one port. */
export interface ContractSuite {
  readonly name: string
  readonly cases: ReadonlyArray<ContractCase>
}

/** A rule of a port, and what it takes to check it. */
export const contractCase = (name: string, run: ContractCase["run"]): ContractCase => ({ name, run })

/** Runs an effect on the other node. Not from within a transaction: its connection would come along. */
export const onSecondNode = <A, E, R extends Services.Stores>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, SecondNode> =>
  Effect.flatMap(SecondNode, (stores) => Effect.provide(effect, stores as Context.Context<R>))

/** For effects that may wait for a while before they try again: with the clock of tests they would wait for ever. */
export const onRealClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Runs a case with a clock of its own, which starts later than any earlier case's has come. */
export const runCase = ({ run }: ContractCase): ContractCase["run"] =>
  Effect.suspend(() => TestClock.setTime(epoch + era++ * eraLength)).pipe(
    Effect.andThen(run),
    Effect.provide(testServices),
  )

/** How long a case may take: far more than it does on a slow machine. */
export const caseMillis = 120_000

/** Runs a case. The message of its failure names the rule and the observation. */
export const checkRule = (
  { name: suite }: ContractSuite,
  contractCase: ContractCase,
): Effect.Effect<void, Error, Services.Stores | SecondNode | StorageClock> =>
  // The clock of tests stands still, so the time is measured outside of the case.
  Effect.timeoutOrElse(runCase(contractCase), {
    duration: caseMillis,
    orElse: () =>
      Effect.fail(new Error(`no end within ${caseMillis / 1000} s. Does a call wait for a lock?`)),
  }).pipe(
    Effect.catchCause((cause) => Effect.fail(broken(`${suite}: ${contractCase.name}`, Cause.squash(cause)))),
  )

/**
 * Has the next case begin at the earliest time again: for who runs cases on one fresh storage after the other, so many that
 * their times would come to be those of the real clock.
 */
export const restartTime: Effect.Effect<void> = Effect.sync(() => {
  era = 0
})

// internal

/** The error itself, for the difference that an assertion shows. */
const broken = (rule: string, error: unknown): Error => {
  const failure = error instanceof Error ? error : new Error(String(error))
  const cause = failure instanceof StorageError ? `\nCause: ${String(failure.cause)}` : ""
  return Object.defineProperty(failure, "message", {
    value: `The storage breaks a rule of ${rule}\nObserved: ${failure.message}${cause}`,
    configurable: true,
    writable: true,
  })
}

/** Cases on the real clock have none that could be set. */
const adjustTestClock = (duration: Duration.Input) =>
  Effect.flatMap(Effect.clockWith(Effect.succeed), (clock) =>
    "adjust" in clock ? TestClock.adjust(duration) : Effect.void,
  )

const testServices = Layer.merge(TestClock.layer(), Logger.layer([]))

/** In the past of the real clock, which some cases use: their leases must not look as if others held them. */
const epoch = Date.UTC(2001, 0, 1)
const eraLength = 7 * 24 * 60 * 60 * 1000
let era = 0
