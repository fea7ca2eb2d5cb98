/** Ends what a scenario or the run started, newest first: with the scenario, with the run, or on a signal. */

export interface Cleanup {
  /** Registers a function that runs once, at the latest on close. The returned function runs it at once. */
  readonly defer: (end: () => unknown) => () => Promise<void>
  /** Runs all remaining functions, even if some fail, and returns the failures. */
  readonly close: () => Promise<ReadonlyArray<unknown>>
  /** A child that can be closed by itself. */
  readonly fork: () => Cleanup
}

export const make = (): Cleanup => {
  const ends = new Map<number, () => unknown>()
  let next = 0
  const defer = (end: () => unknown) => {
    const key = next++
    ends.set(key, end)
    return async () => {
      if (ends.delete(key)) await end()
    }
  }
  const close = async () => {
    const failures: Array<unknown> = []
    for (const [key, end] of [...ends].reverse()) {
      if (!ends.delete(key)) continue
      try {
        await end()
      } catch (error) {
        failures.push(error)
      }
    }
    return failures
  }
  const fork = () => {
    const part = make()
    defer(part.close)
    return part
  }
  return { defer, close, fork }
}
