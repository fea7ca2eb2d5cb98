/** A worker thread that reads uploads. Starts on demand, stops when idle, and is terminated by a time limit. */
import { Worker } from "node:worker_threads"
import { ErrataConfig } from "@errata/core"
import { type Duration, Effect, Option, type Scope, Semaphore } from "effect"
import { type Answer, type Answers, type Job, revivedAnswer } from "./Job.js"
import { threadText } from "./ThreadText.js"

export interface ReadingThread {
  /** Runs jobs one at a time. Returns null if a job exceeded its time or memory. */
  readonly run: <K extends Job["kind"]>(
    job: Extract<Job, { readonly kind: K }>,
  ) => Effect.Effect<Answers[K] | null>
}

export const make = (
  /** The code of the thread. */
  text: string,
  limit: Duration.Duration,
): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.gen(function* () {
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new Thread(text)),
      (thread) => Effect.promise(() => thread.end()),
    )
    const turn = yield* Semaphore.make(1)
    return {
      run: (job) =>
        thread.run(job).pipe(
          Effect.timeoutOption(limit),
          Effect.map((answer) => Option.getOrNull(answer) as never),
          turn.withPermits(1),
        ),
    }
  })

/** Sources that run without a build lack the thread's code, and uploads must not be read on the main thread. */
export const fromBuild: Effect.Effect<ReadingThread, never, Scope.Scope> = Effect.gen(function* () {
  const { sourcemaps: settings } = yield* ErrataConfig
  if (threadText === null) return yield* Effect.die(new Error("Build @errata/sourcemap before you use it"))
  return yield* make(threadText, settings.maxReading)
})

// internal

/** A thread's memory is only freed when it ends. */
const maxIdleMillis = 30_000

/** A map of 64 MiB takes about half of it. */
const resourceLimits = { maxOldGenerationSizeMb: 512 }

class Thread {
  private worker: Worker | null = null
  private idle: NodeJS.Timeout | undefined

  constructor(private readonly text: string) {}

  /** Interruption terminates the thread. */
  run(job: Job): Effect.Effect<Answer | null> {
    return Effect.callback<Answer | null>((resume) => {
      clearTimeout(this.idle)
      this.worker ??= this.started()
      const { worker } = this
      // Keeps the process alive while the thread works.
      worker.ref()
      const finish = (answer: Answer | null) => {
        worker.removeAllListeners("message")
        worker.removeAllListeners("exit")
        worker.unref()
        resume(Effect.succeed(answer))
      }
      worker.once("message", (answer: Answer) => {
        this.idle = setTimeout(() => void this.end(), maxIdleMillis).unref()
        finish(revivedAnswer(job.kind, answer))
      })
      worker.once("exit", () => {
        if (this.worker === worker) this.worker = null
        finish(null)
      })
      worker.postMessage(job)
      return Effect.promise(() => {
        worker.removeAllListeners("message")
        worker.removeAllListeners("exit")
        return this.end()
      })
    })
  }

  async end(): Promise<void> {
    clearTimeout(this.idle)
    const { worker } = this
    this.worker = null
    await worker?.terminate()
  }

  private started(): Worker {
    const worker = new Worker(this.text, { eval: true, resourceLimits })
    // The exit event resumes the job.
    worker.on("error", () => {})
    return worker
  }
}
