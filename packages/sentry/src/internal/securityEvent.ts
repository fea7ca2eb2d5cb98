/** Converts security reports to events: those of browsers, and those that old clients put into events. */
import type { SecurityReport } from "@errata/core/ports"
import type { Bounds } from "./Bounds.js"
import { isRecord, type UnknownRecord } from "./json.js"

/** The security report that an event itself carries, or null. */
export const readEventReport = (event: UnknownRecord, bounds: Bounds): SecurityReport | null => {
  for (const [key, kind] of interfaces) {
    const data = event[key]
    if (isRecord(data)) return readReport(kind, data, "", bounds)
  }
  return null
}

/** Describes the violation in a report. */
export const readReport = (
  kind: string,
  data: UnknownRecord,
  url: string,
  bounds: Bounds,
): SecurityReport => {
  const field = (name: string): string => {
    const value = data[name] ?? data[name.replaceAll("-", "_")] ?? data[camel(name)]
    return typeof value === "string" ? value : ""
  }
  let directive = kind
  let blocked = url
  if (kind === "csp") {
    // `script-src 'self' cdn.example`: the directive's name comes first.
    directive = (field("effective-directive") || field("violated-directive")).trim().split(/\s/, 1)[0] || kind
    blocked = field("blocked-uri") || field("blocked-url")
  } else if (kind === "expect-ct" || kind === "expect-staple" || kind === "hpkp")
    blocked = field("hostname") || url
  else if (kind === "nel") directive = field("type") || kind
  return {
    kind,
    directive: bounds.short(directive, "report directive"),
    blocked: bounds.short(blocked, "report blocked"),
    data: bounds.object(data, 3, "report"),
  }
}

// internal

const interfaces: ReadonlyArray<readonly [key: string, kind: string]> = [
  ["csp", "csp"],
  ["sentry.interfaces.Csp", "csp"],
  ["expectct", "expect-ct"],
  ["expectstaple", "expect-staple"],
  ["hpkp", "hpkp"],
  ["nel", "nel"],
]

// `blocked-uri` is `blockedURI` nowhere, but `blocked-url` is `blockedURL` in the Reporting API.
const camel = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/Url$/, "URL")
