/** Completes the token at the cursor. */
import { severities } from "../../data/severities.js"
import { quoted, type Token } from "./QueryText.js"

export interface Option {
  /** The token after the completion. A key ends with its colon. */
  readonly text: string
  /** Explains it in a few words; null for values that explain themselves. */
  readonly hint: string | null
}

/** Values to request from the server: those of a tag that start with a prefix. */
export interface ValuesWanted {
  readonly key: string
  readonly prefix: string
}

/** Returns the key and the prefix if the token is a filter by a tag or a field that is counted like one. */
export const valuesWanted = ({ key, value }: Token): ValuesWanted | null => {
  if (key === null || key.startsWith("!")) return null
  const tag = /^tags\.(?:"(.+)"|(.+))$/i.exec(key)
  const name = tag?.[1]?.replace(/\\(.)/g, "$1") ?? tag?.[2] ?? (counted.includes(key) ? key : null)
  return name === null ? null : { key: name, prefix: value.replace(/^"|"$/g, "") }
}

/** Returns the options for a token. `values` are from the server, if they were requested. */
export const optionsFor = (
  token: Token,
  tagKeys: ReadonlyArray<string>,
  values: ReadonlyArray<string>,
): ReadonlyArray<Option> => {
  const { key, value } = token
  if (key === null) {
    const typed = value.toLowerCase()
    const tags = tagKeys.filter((tag) => !counted.includes(tag)).map((tag) => [tagKey(tag), "tag"] as const)
    return [...Object.entries(filters), ...tags]
      .filter(([name, hint]) =>
        [name, hint === "tag" ? name.slice("tags.".length) : name].some(startsWith(typed)),
      )
      .slice(0, maxOptions)
      .map(([name, hint]) => ({ text: `${name}:`, hint }))
  }
  const sign = key.startsWith("!") ? "!" : ""
  const name = sign === "" ? key : key.slice(1)
  const typed = value.replace(/^"|"$/g, "").toLowerCase()
  return [...(fixed[name] ?? []), ...values]
    .filter((option) => option.toLowerCase().startsWith(typed) && option !== value)
    .slice(0, maxOptions)
    .map((option) => ({ text: `${sign}${name}:${quoted(option)}`, hint: null }))
}

// internal

const maxOptions = 12

const startsWith = (typed: string) => (text: string) => text.toLowerCase().startsWith(typed)

/** Fields of reports that are counted like tags. */
const counted = ["environment", "release", "server_name"]

const filters: Readonly<Record<string, string>> = {
  is: "state or severity",
  severity: "fatal, error, warning, info, debug",
  environment: "production, staging",
  release: "version",
  server_name: "host",
  error_type: "for example TypeError",
  assignee: "me, none or a user's id",
  reports_count: ">100",
  users_count: ">10",
  since: "last seen after: 24h, 7d, 2026-01-31",
  until: "last seen before",
  "user.id": "affected user",
  "user.email": "affected user",
}

const fixed: Readonly<Record<string, ReadonlyArray<string>>> = {
  is: ["unresolved", "resolved", "reopened", "muted", "unmuted", ...severities],
  severity: severities,
  assignee: ["me", "none"],
  since: ["1h", "24h", "7d", "30d"],
  until: ["1h", "24h", "7d", "30d"],
  reports_count: [">10", ">100", ">1000"],
  users_count: [">1", ">10", ">100"],
}

const tagKey = (key: string): string =>
  `tags.${/[\s":]/.test(key) ? `"${key.replace(/["\\]/g, "\\$&")}"` : key}`
