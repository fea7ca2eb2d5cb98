/** A thread that reads. It starts with the first job, ends when it has had nothing to do, and is ended by a limit. */
import { Worker } from "node:worker_threads"
import { type Duration, Effect, type Scope } from "effect"
import { type Answer, type Answers, type Job, revivedAnswer } from "./Job.js"

export interface ReadingThread {
  /** One job at a time; null of a job that did not come to an end: too much time, or too much memory. */
  readonly run: <K extends Job["kind"]>(
    job: Extract<Job, { readonly kind: K }>,
  ) => Effect.Effect<Answers[K] | null>
}

export const make = (
  /** The script of the thread. */
  text: string,
  limit: Duration.Duration,
): Effect.Effect<ReadingThread, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Thread(text)),
      (thread) => Effect.promise(() => thread.end()),
    ),
    (thread): ReadingThread => ({
      run: (job) =>
        thread.run(job).pipe(
          Effect.timeoutTo({
            duration: limit,
            onSuccess: (answer) => answer as never,
            onTimeout: () => null as never,
          }),
        ),
    }),
  )

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
    return Effect.async<Answer | null>((resume) => {
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
