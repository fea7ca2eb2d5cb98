/** Tracks the calls in progress. Closing the instance waits for them and rejects later calls. */
import { RealTimers } from "@errata/core/internal"
import { ErrataClosedError } from "./Errors.js"

export class Gate {
  private readonly underWay = new Set<Promise<unknown>>()
  private isShut = false
  /** Keeps the process alive during calls. Nothing else of an instance does. */
  private hold: NodeJS.Timeout | undefined

  get isOpen(): boolean {
    return !this.isShut
  }

  /** Runs a call. Rejects after `shut`. */
  run<A>(name: string, work: () => Promise<A>): Promise<A> {
    if (this.isShut) return Promise.reject(new ErrataClosedError(name))
    const promise = work()
    this.underWay.add(promise)
    this.hold ??= RealTimers.setInterval(() => {}, holdMillis)
    const end = () => {
      this.underWay.delete(promise)
      if (this.underWay.size > 0) return
      RealTimers.clearInterval(this.hold)
      this.hold = undefined
    }
    promise.then(end, end)
    return promise
  }

  /** Waits for the calls in progress to succeed or fail. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay)
  }

  /** Rejects later calls and waits for those in progress, at most this long. */
  async shut(millis: number): Promise<void> {
    this.isShut = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = RealTimers.setTimeout(resolve, millis)
    })
    await Promise.race([this.settled(), late])
    RealTimers.clearTimeout(timer)
  }
}

// internal

/** The length does not matter: any timer keeps the process alive. */
const holdMillis = 60_000
