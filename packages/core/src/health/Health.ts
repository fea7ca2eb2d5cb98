/** Evaluates whether an instance can do its work. */
import { Context, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { WebAddress } from "../group/WebUrl.js"
import * as Waiting from "../internal/Waiting.js"
import { Mailer } from "../mail/Mailer.js"
import {
  findingsOf,
  type HealthDetails,
  type HealthFacts,
  type HealthReport,
  mailOf,
  warningsOf,
} from "./HealthCheck.js"
import { metricsOf } from "./HealthMetrics.js"
import { HealthSources } from "./HealthSources.js"
import { HealthStore } from "./HealthStore.js"
import { perMinute, type Reading, withReading } from "./RecordedRate.js"

/** Runs health checks. Closing its scope interrupts them. */
export class Health extends Context.Service<Health>()("@errata/core/health/Health", {
  make: Effect.gen(function* () {
    const { recorder } = yield* ErrataConfig
    const sources = yield* HealthSources
    const sendsMail = (yield* Mailer) !== null && (yield* WebAddress) !== null
    const store = yield* HealthStore
    const clock = yield* Effect.clockWith(Effect.succeed)
    const scope = yield* Effect.scope
    const runFork = Effect.runForkWith(yield* Effect.context<never>())

    // Idle workers report after each poll.
    const patience = Duration.sum(longestSilence, Duration.times(recorder.pollInterval, 2))

    /** Null if migrations are pending. */
    const read = Effect.gen(function* () {
      return (yield* store.hasPendingMigrations) ? null : yield* store.work
    })

    const stored = Effect.gen(function* () {
      const work = yield* inTime(read)
      if (work === null) return { ...nothingStored, isDatabaseReached: true, hasPendingMigrations: true }
      const [isWritable, areSecretsReadable] = yield* Effect.all(
        [
          Effect.isSuccess(inTime(store.write)),
          Effect.orElseSucceed(inTime(sources.areSecretsReadable), () => null),
        ],
        { concurrency: "unbounded" },
      )
      return { isDatabaseReached: true, hasPendingMigrations: false, work, isWritable, areSecretsReadable }
    }).pipe(Effect.orElseSucceed(() => nothingStored))

    const inspect: Effect.Effect<HealthReport> = Effect.gen(function* () {
      const [known, intakePausedBy, disk] = yield* Effect.all(
        [
          stored,
          inTime(Effect.map(sources.intakePausedBy, (pause) => pause ?? "nothing")).pipe(
            Effect.orElseSucceed(() => null),
          ),
          // A file system that does not respond cannot be measured.
          inTime(sources.disk).pipe(
            Effect.catch((error) =>
              Effect.succeed(error === late ? ({ _tag: "Unmeasurable" } as const) : null),
            ),
          ),
        ],
        { concurrency: "unbounded" },
      )
      const findings = findingsOf({ ...known, intakePausedBy, disk, notifies: sources.notifies, patience })
      return { isReady: findings.every(({ ok }) => ok), findings, work: known.work, disk }
    }).pipe(
      // A defect in a check must not make the instance ready.
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError("Checking the health of the instance failed", cause), unknown),
      ),
      Effect.withSpan("Health.inspect"),
    )

    let last: { readonly report: HealthReport; readonly at: number } | null = null
    let waiting: Array<(report: HealthReport) => void> | null = null

    const tell = (report: HealthReport): Effect.Effect<void> => {
      const codes = codesOf(report)
      if (codes === (last === null ? "" : codesOf(last.report))) return Effect.void
      return codes === "" ? Effect.logInfo("Ready again") : Effect.logWarning(`Not ready: ${codes}`)
    }

    /**
     * Calls `done` with a report that is at most ten seconds old. Concurrent callers share one evaluation, which limits
     * the load on the storage. It takes a callback so that unauthenticated requests need no fiber each. `done` must not
     * throw.
     */
    const ask = (done: (report: HealthReport) => void): void => {
      const now = clock.currentTimeMillisUnsafe()
      if (last !== null && now >= last.at && now - last.at < maxAgeMillis(last.report)) {
        done(last.report)
        return
      }
      if (waiting !== null) {
        waiting.push(done)
        return
      }
      waiting = [done]
      Fiber.runIn(runFork(Effect.tap(inspect, tell)), scope).addObserver((exit) => {
        const report = Exit.isSuccess(exit) ? exit.value : unknown
        // A passing report is dated by its start; a failing one by its end, so that hanging checks are followed by a
        // pause.
        last = { report, at: report.isReady ? now : clock.currentTimeMillisUnsafe() }
        const callers = waiting ?? []
        waiting = null
        for (const each of callers) each(report)
      })
    }

    let readings: ReadonlyArray<Reading> = []

    // Checks and amounts share one connection.
    const amounts = yield* Effect.cachedWithTTL(
      inTime(store.amounts).pipe(
        Effect.tap(({ reports }) =>
          Effect.sync(() => {
            readings = withReading(readings, { at: clock.currentTimeMillisUnsafe(), reports })
          }),
        ),
        Effect.orElseSucceed(() => null),
      ),
      "1 second",
    )

    // Reads the size of every file.
    const databaseBytes = yield* Effect.cachedWithTTL(
      Effect.orElseSucceed(inTime(store.databaseBytes), () => null),
      "1 minute",
    )

    const recent = Effect.callback<HealthReport>((resume) => ask((report) => resume(Effect.succeed(report))))

    const recentAndAmounts = Effect.gen(function* () {
      const report = yield* recent
      return { report, amounts: report.work === null ? null : yield* amounts }
    })

    return {
      /** Runs the checks now. Ends within a few seconds even if the storage hangs, and never fails. */
      inspect,
      ask,
      /** `ask` as an effect. */
      recent,
      /** Metrics of the recent report and of the queues, both at most a few seconds old. */
      metrics: Effect.map(recentAndAmounts, ({ amounts, report }) => metricsOf(report, amounts)),
      /** The recent report with warnings, which do not affect readiness, and figures. Never fails. */
      details: Effect.gen(function* () {
        const { amounts, report } = yield* recentAndAmounts
        const mail = mailOf(sendsMail, report.work)
        const details: HealthDetails = {
          ...report,
          mail,
          warnings: warningsOf(report, amounts, mail),
          amounts,
          recordedPerMinute: amounts === null ? null : perMinute(readings),
          databaseBytes: report.work === null ? null : yield* databaseBytes,
        }
        return details
      }),
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** Twelve heartbeats. */
const longestSilence = Duration.minutes(1)

/** A failing report expires sooner, so that recovery is noticed soon. */
const maxAgeMillis = ({ isReady }: HealthReport): number => (isReady ? 5_000 : 2_000)

const late = Symbol("late")

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(Waiting.disconnect(effect), { duration: "2 seconds", orElse: () => Effect.fail(late) })

const nothingStored: Pick<
  HealthFacts,
  "isDatabaseReached" | "hasPendingMigrations" | "work" | "isWritable" | "areSecretsReadable"
> = {
  isDatabaseReached: false,
  hasPendingMigrations: null,
  work: null,
  isWritable: null,
  areSecretsReadable: null,
}

const unknown: HealthReport = {
  isReady: false,
  work: null,
  disk: null,
  findings: findingsOf({
    ...nothingStored,
    intakePausedBy: null,
    disk: null,
    notifies: false,
    patience: longestSilence,
  }),
}

const codesOf = ({ findings }: HealthReport): string =>
  [...new Set(findings.flatMap(({ code }) => (code === null ? [] : [code])))].join(", ")
