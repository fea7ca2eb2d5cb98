/** Validates redirect URIs. */

/**
 * Returns the problem with a redirect URI, or null. Allowed are https, http on loopback addresses, and schemes of
 * applications. A scheme must be known, or contain a dot, as in a reversed domain name.
 */
export const redirectUriProblem = (text: string): string | null => {
  if (text.length > maxLength) return `is longer than ${maxLength} characters`
  // Printable ASCII only, because the URI is sent in a header.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return "is not an absolute URI"
  const { hash, hostname, password, protocol, username } = new URL(text)
  if (hash !== "" || text.includes("#")) return "must not have a fragment"
  if (username !== "" || password !== "") return "must not have credentials"
  if (text.includes("\\") || text.includes("*")) return "must not contain wildcards"
  if (protocol === "https:" || protocol === "http:") {
    // Some parsers read `https:name` as a host, others as a path.
    if (!/^https?:\/\/[^/]/i.test(text)) return "has no host"
    // The host is written into a content security policy, where a semicolon or a comma would be a separator.
    if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) return "has an invalid host name"
    if (protocol === "https:" || isLoopbackHost(hostname)) return null
    return "must be https, except for loopback addresses"
  }
  const scheme = protocol.slice(0, -1)
  if (knownSchemes.has(scheme)) return null
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/.test(scheme) ? null : "has a scheme that is not allowed"
}

/** Returns true if the URI is registered, compared exactly except for the port of http loopback addresses. */
export const isRegistered = (registered: ReadonlyArray<string>, given: string): boolean =>
  registered.includes(given) ||
  (isPlainLoopback(given) &&
    registered.some((uri) => isPlainLoopback(uri) && withoutPort(uri) === withoutPort(given)))

/** True for a loopback address, which reaches a program on the user's machine. */
export const isLoopback = (uri: string): boolean =>
  redirectUriProblem(uri) === null && /^https?:/i.test(uri) && isLoopbackHost(new URL(uri).hostname)

/** The host, or the scheme of an application, as shown to the user. */
export const redirectPlace = (uri: string): string => {
  const { host, protocol } = new URL(uri)
  return protocol === "http:" || protocol === "https:" ? host : `${protocol}//`
}

// internal

/** Only with http, where programs choose a port when they start. */
const isPlainLoopback = (uri: string): boolean => isLoopback(uri) && new URL(uri).protocol === "http:"

const maxLength = 2_000

const knownSchemes = new Set(["cursor", "vscode", "vscode-insiders", "windsurf"])

const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** Compares text, because parsing would normalize other parts. */
const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?]*)):\d+/i, "$1")
