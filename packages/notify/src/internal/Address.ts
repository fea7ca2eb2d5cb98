/** Checks of addresses that users enter. The messages follow the name of the field: "url must be …". */
import type { TargetAddress, TargetField } from "@errata/core/ports"

/** Checks of single fields; each returns the fault of a value, or null. */
export type FieldChecks = Readonly<Record<string, (value: string) => string | null>>

/** Makes the check of a target from checks of its fields. An optional field may be missing or empty. */
export const checkOf =
  (fields: ReadonlyArray<TargetField>, checks: FieldChecks) =>
  (address: TargetAddress): Readonly<Record<string, string>> => {
    const known = fields.flatMap(({ isRequired, name }) => {
      const value = address[name] ?? ""
      if (value === "") return isRequired ? [[name, "can't be blank"] as const] : []
      const fault = checks[name]?.(value) ?? null
      return fault === null ? [] : [[name, fault] as const]
    })
    const unknown = Object.keys(address)
      .filter((name) => fields.every((field) => field.name !== name))
      .map((name) => [name, "is not a field of this target"] as const)
    return Object.fromEntries([...known, ...unknown])
  }

/** An https URL on one of these hosts, with a matching path. A host that begins with a dot matches its subdomains. */
export const httpsUrl =
  ({
    example,
    hosts,
    path,
  }: {
    readonly hosts: ReadonlyArray<string>
    readonly path: RegExp
    readonly example: string
  }) =>
  (value: string): string | null => {
    const url = readUrl(value)
    const isHost = hosts.some((host) =>
      host.startsWith(".") ? url?.hostname.endsWith(host) : url?.hostname === host,
    )
    return url !== null && url.protocol === "https:" && isHost && path.test(url.pathname)
      ? null
      : `must be a URL such as ${example}`
  }

/** An http or https URL on any host, with a path that fits. */
export const anyUrl =
  ({ example, path }: { readonly path: RegExp; readonly example: string }) =>
  (value: string): string | null => {
    const url = readUrl(value)
    return url !== null && /^https?:$/.test(url.protocol) && path.test(url.pathname)
      ? null
      : `must be a URL such as ${example}`
  }

/** A text that fits a pattern. */
export const matching =
  (pattern: RegExp, fault: string) =>
  (value: string): string | null =>
    pattern.test(value) ? null : fault

// internal

/** A URL without credentials, spaces or a fragment; null for anything else. */
const readUrl = (value: string): URL | null => {
  if (value.length > 2_000 || /[\s\p{Cc}\\]/u.test(value) || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.username === "" && url.password === "" && url.hash === "" ? url : null
}
