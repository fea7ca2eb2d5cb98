/** Validates and normalizes origins of hosted source maps. */
import { Result } from "effect"

/**
 * The canonical form of an exact public HTTPS origin, such as `https://cdn.example.com` or `https://example.com:8443`:
 * lower case, ASCII, without the default port, a dot or a slash at the end. Else why the text is none.
 */
export const canonicalOrigin = (text: string): Result.Result<string, string> => {
  const trimmed = text.trim()
  if (!/^https:\/\//i.test(trimmed)) return Result.fail("must start with https://")
  const rest = trimmed.slice("https://".length)
  if (rest.includes("?")) return Result.fail("must not have a query")
  if (rest.includes("#")) return Result.fail("must not have a fragment")
  // URL parsers treat a backslash as a slash.
  const slash = rest.search(/[/\\]/)
  const authority = slash === -1 ? rest : rest.slice(0, slash)
  if (authority.includes("@")) return Result.fail("must not have credentials")
  if (authority.includes("*")) return Result.fail("must not have a wildcard")
  if (authority === "") return Result.fail("must name a host")
  if (slash !== -1 && rest.slice(slash) !== "/") return Result.fail("must not have a path")
  // The parser would drop them silently.
  if (/[\s\p{Cc}]/u.test(authority)) return Result.fail(notHost)
  return URL.canParse(`https://${authority}`)
    ? originOf(new URL(`https://${authority}`))
    : Result.fail(notHost)
}

// internal

const notHost = "is not an origin with a valid host name and port"

// The parser has normalized notations of an address such as `0x7f.1`.
const originOf = ({ hostname, port }: URL): Result.Result<string, string> => {
  if (hostname.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(hostname)) {
    return Result.fail("must not be an IP address")
  }
  if (hostname.includes("*")) return Result.fail("must not have a wildcard")
  const host = hostname.replace(/\.$/, "")
  const labels = host.split(".")
  if (host.length > maxHostLength || port === "0" || !labels.every(isLabel)) return Result.fail(notHost)
  if (labels.length === 1 || notPublic.some((name) => host === name || host.endsWith(`.${name}`))) {
    return Result.fail("must be a public host")
  }
  return Result.succeed(`https://${host}${port === "" ? "" : `:${port}`}`)
}

const maxHostLength = 253

const isLabel = (label: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)

/** Names that no public server has (RFC 6761, RFC 6762, RFC 8375, and ICANN's for private use). */
const notPublic = ["localhost", "local", "internal", "home.arpa", "test", "invalid", "example"]
