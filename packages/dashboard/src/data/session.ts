/** The bearer token of the API. It is kept only in memory; the session cookie persists. */
import { currentPath, rootUrl } from "./root.js"

/** Returns a token that stays valid for a while. Concurrent calls share one request. */
export const bearer = (): Promise<string> => {
  if (import.meta.env.ERRATA_API_KEY !== undefined) return Promise.resolve(import.meta.env.ERRATA_API_KEY)
  if (current === null || current.until < Date.now()) return renew()
  return Promise.resolve(current.token)
}

/** Requests a new token. Goes to the sign-in page if the session has ended; then the promise stays pending. */
export const renew = (): Promise<string> => {
  renewal ??= exchange().finally(() => {
    renewal = null
  })
  return renewal
}

/** Leaves for the sign-in page, which leads back here. */
export const toSignIn = (): Promise<never> => {
  location.assign(new URL(`sign_in?next=${encodeURIComponent(currentPath())}`, rootUrl))
  return new Promise(() => {})
}

/** Ends the session, and goes to the sign-in page. */
export const signOut = async (): Promise<void> => {
  const response = await fetch(new URL("session", rootUrl), { method: "DELETE" })
  if (!response.ok) throw new Error(`Status ${response.status}`)
  location.assign(new URL("sign_in", rootUrl))
}

// internal

let current: { readonly token: string; readonly until: number } | null = null
let renewal: Promise<string> | null = null

/** Tokens are renewed a minute before they expire. */
const margin = 60

const exchange = async (): Promise<string> => {
  const response = await fetch(new URL("session/token", rootUrl), { method: "POST" })
  if (response.status === 401) return toSignIn()
  if (!response.ok) throw new Error(`The server did not issue a token: status ${response.status}.`)
  const { access_token: token, expires_in: seconds } = (await response.json()) as {
    readonly access_token: string
    readonly expires_in: number
  }
  current = { token, until: Date.now() + (seconds - margin) * 1000 }
  return token
}
