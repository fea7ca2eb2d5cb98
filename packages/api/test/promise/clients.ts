import {
  type ConnectionOptions,
  type CredentialOptions,
  type ErrataClient,
  type ErrataClientOptions,
  makeClient,
} from "../../src/promise/ErrataClient.js"

export const apiKey = "errata_secret_0123456789"

export interface TestClient {
  readonly errata: ErrataClient
  /** The waits between attempts, in milliseconds. */
  readonly waits: Array<number>
}

/** A client whose waits end immediately. */
export const clientOf = (
  baseUrl: string,
  options: Partial<ConnectionOptions> & Partial<CredentialOptions> = {},
): TestClient => {
  const waits: Array<number> = []
  const errata = makeClient(
    {
      baseUrl,
      ...(options.authorization === undefined ? { apiKey } : {}),
      ...options,
    } as ErrataClientOptions,
    {
      now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      random: () => 0.5,
      sleep: async (millis) => {
        waits.push(millis)
      },
    },
  )
  return { errata, waits }
}

/** Returns the error of a call that must fail. */
export const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
  const outcome = await call.then(
    () => null,
    (error: unknown) => ({ error }),
  )
  if (outcome === null) throw new Error("it did not fail")
  return outcome.error
}
