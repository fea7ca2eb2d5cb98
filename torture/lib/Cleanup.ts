/** What a scenario started is ended with it, newest first; what the run started ends with the run, also on a signal. */

export interface Cleanup {
  /** Registers an end; it runs once, however often it is asked for. Answers a function that ends it at once. */
  readonly defer: (end: () => unknown) => () => Promise<void>
  /** Runs every end that is left; failures of ends do not keep others from running. */
  readonly close: () => Promise<ReadonlyArray<unknown>>
  /** A part of it that can be closed by itself. */
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
