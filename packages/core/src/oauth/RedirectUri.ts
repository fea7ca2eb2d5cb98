/** Where a browser may be sent with an authorization code. */

/**
 * What is wrong with an address that a client wants to be sent to; null where nothing is. It may be https, http on this
 * very machine, or a scheme of an application: one that is known, or one with a dot, which its maker owns as a domain.
 */
export const redirectUriProblem = (text: string): string | null => {
  if (text.length > maxLength) return `is longer than ${maxLength} characters`
  // A header carries it: nothing that would end or bend that.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return "is not an absolute URI"
  const { hash, hostname, password, protocol, username } = new URL(text)
  if (hash !== "" || text.includes("#")) return "must not have a fragment"
  if (username !== "" || password !== "") return "must not have credentials"
  if (text.includes("\\") || text.includes("*")) return "must not contain wildcards"
  if (protocol === "https:" || protocol === "http:") {
    // `https:name` is an address on another host to one reader and a path on the same host to another.
    if (!/^https?:\/\/[^/]/i.test(text)) return "has no host"
    // It stands in the policy of a page, where a semicolon or a comma would begin something else.
    if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) return "has an invalid host name"
    if (protocol === "https:" || isLoopbackHost(hostname)) return null
    return "must be https, except for loopback addresses"
  }
  const scheme = protocol.slice(0, -1)
  if (knownSchemes.has(scheme)) return null
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/.test(scheme) ? null : "has a scheme that is not allowed"
}

/** Whether an address is one that was registered: the same to the letter, but for the port on this machine. */
export const isRegistered = (registered: ReadonlyArray<string>, given: string): boolean =>
  registered.includes(given) ||
  (isPlainLoopback(given) &&
    registered.some((uri) => isPlainLoopback(uri) && withoutPort(uri) === withoutPort(given)))

/** Whether it leads to a program on the machine of whoever uses the browser, with TLS or without. */
export const isLoopback = (uri: string): boolean =>
  redirectUriProblem(uri) === null && /^https?:/i.test(uri) && isLoopbackHost(new URL(uri).hostname)

/** What people are told of it: the host, or the scheme of an application. */
export const redirectPlace = (uri: string): string => {
  const { host, protocol } = new URL(uri)
  return protocol === "http:" || protocol === "https:" ? host : `${protocol}//`
}

// internal

/** Those whose port is not known beforehand: certificates have programs that run for long. */
const isPlainLoopback = (uri: string): boolean => isLoopback(uri) && new URL(uri).protocol === "http:"

const maxLength = 2_000

const knownSchemes = new Set(["cursor", "vscode", "vscode-insiders", "windsurf"])

const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** As text, so that nothing else of it is normalised away. */
const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?]*)):\d+/i, "$1")
