/** The credential of a client: a fixed key, or a token that may expire and that the client requests again. */
import { badApiKey, isApiKey } from "../internal/BaseUrl.js"

export interface Credential {
  readonly current: () => Promise<string>
  /** Returns another credential after a refused one, or null. */
  readonly inPlaceOf: (refused: string) => Promise<string | null>
}

export const ofKey = (apiKey: string): Credential => ({
  current: async () => apiKey,
  inPlaceOf: async () => null,
})

/** Caches a token until it is rejected. Concurrent calls share one request for a token. */
export const ofTokens = (authorization: () => Promise<string>): Credential => {
  let asked: Promise<string> | undefined
  const ask = async (): Promise<string> => {
    const token = String(await authorization()).trim()
    if (!isApiKey(token)) throw new TypeError(badApiKey.replace("apiKey", "The token of authorization"))
    return token
  }
  const current = (): Promise<string> => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined
      throw error
    })
    return asked
  }
  return {
    current,
    inPlaceOf: async (refused) => {
      // Another call may already have requested a new token.
      if (asked !== undefined && (await asked) === refused) asked = undefined
      const token = await current()
      return token === refused ? null : token
    },
  }
}
