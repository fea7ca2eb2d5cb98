/** Creates instances that are closed at the end of the test. */
import { afterEach } from "vitest"
import { createErrata, type Errata, type ErrataOptions, memory } from "../../src/index.js"

export const instances = () => {
  const open: Array<Errata> = []
  afterEach(async () => {
    for (const errata of open.splice(0)) await errata.close()
  })
  return async (options: Partial<ErrataOptions> = {}): Promise<Errata> => {
    const errata = await createErrata({
      storage: memory(),
      log: "silent",
      // Tests report the same error many times.
      maxRepeatsPerSecond: Number.POSITIVE_INFINITY,
      ...options,
    })
    open.push(errata)
    return errata
  }
}

/** Returns the reason of a rejected promise. */
export const failureOf = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return await Promise.resolve(promise).then(
      (value) => Promise.reject(new Error(`succeeded with ${JSON.stringify(value)}`)),
      (error: unknown) => error,
    )
  } catch (error) {
    return error
  }
}
