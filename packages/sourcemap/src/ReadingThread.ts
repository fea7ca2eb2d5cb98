/** A thread that reads. It starts with the first job, ends when it has had nothing to do, and is ended by a limit. */
import { Worker } from "node:worker_threads"
import { ErrataConfig } from "@errata/core"
import { type Duration, Effect, Option, type Scope, Semaphore } from "effect"
import { type Answer, type Answers, type Job, revivedAnswer } from "./Job.js"
import { threadText } from "./ThreadText.js"

export interface ReadingThread {
  /** Jobs wait for each other; null of a job that did not come to an end: too much time, or too much memory. */
  readonly run: <K extends Job["kind"]>(
    job: Extract<Job, { readonly kind: K }>,
  ) => Effect.Effect<Answers[K] | null>
}

export const make = (
  /** The script of the thread. */
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

/** Sources that run without a build have no text of the thread, and nothing else may read uploads. */
export const fromBuild: Effect.Effect<ReadingThread, never, Scope.Scope> = Effect.gen(function* () {
  const { sourcemaps: settings } = yield* ErrataConfig
  if (threadText === null) return yield* Effect.die(new Error("Build @errata/sourcemap before you use it"))
  return yield* make(threadText, settings.maxReading)
})

// internal

/** Memory that a thread has taken is given back with the thread only. */
const maxIdleMillis = 30_000

/** A map of 64 MiB takes about half of it. */
const resourceLimits = { maxOldGenerationSizeMb: 512 }

class Thread {
  private worker: Worker | null = null
  private idle: NodeJS.Timeout | undefined

  constructor(private readonly text: string) {}

  /** An interruption ends the thread, with what it is at. */
  run(job: Job): Effect.Effect<Answer | null> {
    return Effect.callback<Answer | null>((resume) => {
      clearTimeout(this.idle)
      this.worker ??= this.started()
      const { worker } = this
      // While it works, the process waits for it.
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
    // The exit resumes the job.
    worker.on("error", () => {})
    return worker
  }
}
