/** What an instance is doing for its callers, so that its end can wait for that and refuse what comes later. */
import { ErrataClosedError } from "./Errors.js"

export class Gate {
  private readonly underWay = new Set<Promise<unknown>>()
  private isShut = false
  /** Keeps the process running while something is under way: nothing else of an instance does. */
  private hold: NodeJS.Timeout | undefined

  get isOpen(): boolean {
    return !this.isShut
  }

  /** Does something for a caller; rejects where the gate is shut. */
  run<A>(name: string, work: () => Promise<A>): Promise<A> {
    if (this.isShut) return Promise.reject(new ErrataClosedError(name))
    const promise = work()
    this.underWay.add(promise)
    this.hold ??= setInterval(() => {}, holdMillis)
    const end = () => {
      this.underWay.delete(promise)
      if (this.underWay.size > 0) return
      clearInterval(this.hold)
      this.hold = undefined
    }
    promise.then(end, end)
    return promise
  }

  /** Waits for what is under way now, however it ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay)
  }

  /** Lets nothing more in, and waits for what is under way, but not for ever. */
  async shut(millis: number): Promise<void> {
    this.isShut = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, millis)
    })
    await Promise.race([this.settled(), late])
    clearTimeout(timer)
  }
}

// internal

/** However long, a timer keeps the process running. */
const holdMillis = 60_000
