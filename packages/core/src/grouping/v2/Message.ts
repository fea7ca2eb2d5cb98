/**
 * FROZEN with `GroupingV2.ts`. Normalizes messages, so that occurrences of one error have the same text.
 *
 * UUIDs, timestamps, all kinds of addresses, hashes, numbers and values of URL queries become placeholders. Values that
 * distinguish kinds of errors remain: HTTP status, SQLSTATE, errno, signal, port, exit code, versions.
 */
import { isRandom } from "./Random.js"

/** Maximum length of a normalized message, in UTF-16 units. */
export const maxMessageLength = 2 * 1024

/** Normalizes a message in time linear in its length. */
export const normalizeMessage = (text: string): string => {
  let message = text.length > MaxInputLength ? text.slice(0, MaxInputLength) : text
  if (MayVary.test(message)) message = message.replace(Variable, replaceVariable)
  message = message.replace(/\s+/g, " ").trim()
  return message.length > maxMessageLength ? message.slice(0, maxMessageLength) : message
}

// internal

// Far above `maxMessageLength`, so that ids of different lengths do not move this cut into the result.
const MaxInputLength = 8 * 1024

const MayVary = /[\d@?]|:\/\//

// Each pattern starts at a word or is bounded in length, so that matching takes linear time.
const Clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s?[AaPp]\.?[Mm]\.?(?!\w))?`
const Zone = String.raw`\s?(?:(?:Z|UTC|GMT|CES?T|[ECMP][SD]T)(?:[+-]\d{2}:?\d{2})?|[+-]\d{2}:?\d{2})(?![\w:])`
const Day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
const Month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
const Group = "[0-9a-fA-F]{1,4}"
const Units = String.raw`(?:ns|us|µs|ms|s|secs?|mins?|m|h|hrs?|d|[kKMGTP]i?[bB]?|[bB]|px|st|nd|rd|th)(?!\w)`

const Patterns = {
  url: String.raw`(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s"'<>\x60|\\^{}]+`,
  query: String.raw`\?[\w.[\]%~-]{1,100}=[^\s"'<>]*`,
  uuid: "(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])",
  time: [
    // 2025-01-31, 2025-01-31T10:30:00.000Z, 2025/01/31 10:30
    String.raw`(?<![\w.:-])(?:19|20)\d{2}(?<ymd>[-/])(?:0?[1-9]|1[0-2])\k<ymd>(?:[12]\d|3[01]|0?[1-9])(?:[T_ ]${Clock}(?:${Zone})?)?(?![\w-])`,
    // 20250131T103000Z
    String.raw`(?<![\w.:-])(?:19|20)\d{6}T\d{4,6}(?:\.\d{1,9})?Z?(?!\w)`,
    // Fri, 31 Jan 2025 10:30:00 +0000; Fri Jan 31 2025 10:30:00 GMT+0100 (Central European Time)
    String.raw`(?<!\w)(?:${Day},?\s)?(?:\d{1,2}[\s-]${Month}|${Month}\s{1,2}\d{1,2}),?[\s-]\d{4}(?:,?\s${Clock}(?:${Zone})?(?:\s\([A-Z][A-Za-z ]{2,40}\))?)?(?!\w)`,
    // Fri Jan 31 10:30:00 UTC 2025
    String.raw`(?<!\w)(?:${Day},?\s)?${Month}\s{1,2}\d{1,2}\s${Clock}(?:\s[A-Z]{3,4}(?!\w))?(?:\s\d{4})?(?!\w)`,
    // 1/31/2025, 10:30:00 AM; 31.01.2025 10:30
    String.raw`(?<![\w.:/-])\d{1,2}(?<dmy>[./])\d{1,2}\k<dmy>(?:19|20)\d{2}(?:,?\s${Clock})?(?![\w/])`,
    // 10:30:00.123
    String.raw`(?<![\w.:])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:\s?[AaPp][Mm])?Z?(?![\w:])`,
  ].join("|"),
  mac: String.raw`(?<![\w:-])[0-9a-fA-F]{2}(?<octet>[:-])(?:[0-9a-fA-F]{2}\k<octet>){4}[0-9a-fA-F]{2}(?![\w:-])`,
  ipv6: String.raw`(?<![\w:.])(?:(?:${Group}:){7}${Group}|(?:${Group}(?::${Group}){0,5})?::(?:${Group}(?::${Group}){0,5})?(?:\.\d{1,3}){0,3})(?:%\w{1,16})?(?![\w:])`,
  email: String.raw`(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])`,
  dotted: String.raw`(?<![\w.])[vV]?\d+(?:\.\d+){2,}(?:[-+][0-9A-Za-z.-]{1,64})?(?!\w)`,
  address: String.raw`(?<![A-Za-z0-9])0[xX][0-9A-Fa-f]+|(?<=\w)@[0-9a-f]{5,16}(?!\w)`,
  number: String.raw`(?<![A-Za-z0-9]|[A-Z0-9]_|[A-Z]-|\d\.)(?:(?<![\w)\]])[-+])?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:(?=${Units})|(?!\w))`,
  token: String.raw`(?<![\w-])[\w-]{16,}(?:\.[\w-]{10,}){0,2}={0,2}`,
  word: "(?<![A-Za-z0-9])[A-Za-z0-9]{7,}(?![A-Za-z0-9])",
}

type Kind = keyof typeof Patterns

const Variable = new RegExp(
  Object.entries(Patterns)
    .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
    .join("|"),
  "g",
)

const NumberOnly = new RegExp(Patterns.number, "g")

const kinds = Object.keys(Patterns) as ReadonlyArray<Kind>

const replaceVariable = (match: string, ...rest: ReadonlyArray<unknown>): string => {
  const groups = rest[rest.length - 1] as Readonly<Record<string, string | undefined>>
  const text = rest[rest.length - 2] as string
  const offset = rest[rest.length - 3] as number
  const kind = kinds.find((kind) => groups[kind] !== undefined)
  switch (kind) {
    case "url":
      return replaceUrl(match)
    case "query":
      return replaceQuery(match)
    case "uuid":
      return "<uuid>"
    case "time":
      return "<time>"
    case "mac":
      return "<mac>"
    case "ipv6":
      return replaceIpv6(match)
    case "email":
      return "<email>"
    case "dotted":
      return isIpv4(match) && !isVersion(match, before(text, offset)) ? "<ip>" : match
    case "address":
      return match.startsWith("@") ? "@<addr>" : tellsKind(match, text, offset) ? match : "<addr>"
    case "number":
      return tellsKind(match, text, offset) ? match : "<n>"
    case "token":
      return isRandom(match)
        ? "<hash>"
        : match.replace(NumberOnly, (number, at: number) =>
            tellsKind(number, text, offset + at) ? number : "<n>",
          )
    default:
      return isHash(match) && !(match.length <= 8 && tellsKind(match, text, offset)) ? "<hash>" : match
  }
}

// URLs

const Uuid = new RegExp(`^(?:${Patterns.uuid})$`)

const replaceUrl = (text: string): string => {
  // Trailing punctuation and closing brackets do not belong to the URL.
  let end = text.length
  while (end > 0 && ".,;:!?)]".includes(text.charAt(end - 1))) end--
  const [url = ""] = text.slice(0, end).split("#", 1)
  const queryAt = url.indexOf("?")
  const hostAt = url.indexOf("://") + 3
  const [authority = "", ...path] = url.slice(hostAt, queryAt < 0 ? end : queryAt).split("/")
  const host = replaceHost(authority.slice(authority.lastIndexOf("@") + 1))
  const query = queryAt < 0 ? "" : replaceQuery(url.slice(queryAt))
  return `${url.slice(0, hostAt)}${[host, ...path.map(replaceSegment)].join("/")}${query}${text.slice(end)}`
}

const replaceHost = (host: string): string => {
  if (host.startsWith("[")) return host.replace(/^\[[^\]]*\]/, "<ip>")
  const [name = "", port] = host.split(":")
  return isIpv4(name) ? (port === undefined ? "<ip>" : `<ip>:${port}`) : host
}

const replaceSegment = (segment: string): string => {
  if (!/\d/.test(segment)) return segment
  if (Uuid.test(segment)) return "<uuid>"
  if (isHash(segment) || isRandom(segment)) return "<hash>"
  return segment.replace(NumberOnly, (number) => (number.includes(".") ? number : "<n>"))
}

const MaxQueryKeys = 20

const replaceQuery = (query: string): string =>
  query
    .split("&", MaxQueryKeys)
    .map((pair) => `${pair.slice(0, pair.includes("=") ? pair.indexOf("=") : pair.length)}=<value>`)
    .join("&")

// Numbers that distinguish kinds of errors

const before = (text: string, offset: number): string => text.slice(Math.max(0, offset - 64), offset)

const isIpv4 = (text: string): boolean => {
  const octets = text.split(".")
  return octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255)
}

// Node.js appends the port to the address: `::1:5432`.
const replaceIpv6 = (text: string): string => {
  const port = /^::1?(:\d{2,5})$/.exec(text)?.[1]
  return port === undefined ? (/\d/.test(text) ? "<ip>" : text) : `<ip>${port}`
}

const VersionWord =
  /(?:^|[^a-z])(?:version|ver|v|release|python|php|node(?:\.js)?|java|ruby|perl|go|tls|ssl|api|schema|protocol|android|ios|windows|macos|linux|kernel|chrome|firefox|safari|edge|postgres(?:ql)?|mysql)[\s:="'(-]{0,4}$/i

/** True for versions, as opposed to quantities and IPv4 addresses. */
const isVersion = (number: string, prefix: string): boolean =>
  VersionWord.test(prefix) || (/[A-Za-z]\/$/.test(prefix) && (!isIpv4(number) || number.endsWith(".0")))

const Separators = String.raw`[\s_:=#"'(\[,-]`
const CodeWord = new RegExp(
  `(?:^|[^a-z])(?:https?(?:\\/[\\d.]{1,3})?|[a-z_]*status|sql[_ ]?state|sqlcode|[a-z]*errno|signal|sig[a-z]{3,6}|ports?|exit(?:ed|s)?|[a-z_]*code|rc|h?result|ntstatus|subcode|winerror)` +
    `(?:${Separators}{1,3}(?:code|status|state|no|number|with|by|is|was|of|value|error)){0,3}${Separators}{0,3}$`,
  "i",
)
const ErrorWord = /(?:^|[^a-z])[a-z]{0,24}err(?:or)?[\s#=([]{1,2}(?:\d{1,5}\s?\()?$/i
const SqlState = /sqlstate\[\w{1,8}\][^\d]{0,52}$/i
const HostPort =
  /(?:localhost|\s::|\d{1,3}(?:\.\d{1,3}){3}|\]|[\w-]\.[a-z][\w-]{1,24}|(?:tcp|udp|connect|connection|connecting|host|server|dial|to|at|addr|address)[\s:='"]{1,3}[a-z][\w-]{0,30}):$/i
const SourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|php|java|kt|scala|go|rs|cs|fs|vb|c|cc|cpp|cxx|h|hpp|m|mm|swift|dart|ex|exs|erl|lua|pl|vue|svelte|html?|sql|xml|ya?ml|json):$/i

const HttpStatus = /^(?:10[0-3]|20[0-8]|226|30[0-8]|4[01]\d|42[0-689]|431|451|50[0-8]|51[01])$/
const Answered =
  /(?:got|return(?:s|ed)?|receive[sd]?|respond(?:s|ed)?|response|answer(?:s|ed)?|replie[sd]|fail(?:s|ed|ure)?|reject(?:s|ed)?|unexpected)[\s:("'[=-]{1,3}(?:(?:with|a|an|by|from server|status|response)[\s:("'[=-]{1,3}){0,3}$/i
const ReasonPhrase = /^[\s:,)\]-]{0,3}[\s(][A-Z][A-Za-z']/
const Counted = /^\s?(?:(?!status)[a-z]+s\b|%|of\b)/

/** True if the context marks a number as a status, code, signal, port or version. */
const tellsKind = (number: string, text: string, offset: number): boolean => {
  const prefix = before(text, offset)
  const suffix = text.slice(offset + number.length, offset + number.length + 24)
  if (/^[A-Za-zµ%]/.test(suffix)) return false
  if (number.includes(".")) return isVersion(number, prefix)
  if (number.length <= 11 && CodeWord.test(prefix)) return true
  if (/^[-+]?\d{1,5}$/.test(number)) {
    if (ErrorWord.test(prefix) || VersionWord.test(prefix)) return true
    if (HostPort.test(prefix) && !SourceFile.test(prefix)) return true
    // `(13: Permission denied)`, `SQLSTATE[HY000] [2002] Connection refused`
    if (prefix.endsWith("(") && /^: [A-Z]/.test(suffix)) return true
    if (SqlState.test(prefix) && /^\]?\s[A-Z]/.test(suffix)) return true
    if (prefix.endsWith("HTTP/")) return true
  }
  if (!HttpStatus.test(number)) return false
  if (ReasonPhrase.test(suffix) || /^\s(?:error|status|response)\b/.test(suffix)) return true
  if (/[([]$/.test(prefix) && /^[)\]]/.test(suffix)) return true
  if (offset === 0 && /^\s?[:-]/.test(suffix)) return true
  // `Cannot load the cart: 503`
  if (suffix === "" && /^[45]/.test(number) && prefix.endsWith(": ")) return true
  return Answered.test(prefix) && !Counted.test(suffix)
}

// Hashes

const isHash = (word: string): boolean => {
  if (!/\d/.test(word)) return false
  // Git abbreviates commit ids to seven digits.
  const isHex =
    word.length >= 8 ? /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(word) : word.length === 7 && ShortHash.test(word)
  return (isHex && /[A-Fa-f]/.test(word)) || (/^[A-Za-z0-9]+$/.test(word) && isRandom(word))
}

const ShortHash = /^(?=[0-9a-f]{7}$)[a-f]*\d[a-f]*\d/
