/**
 * The hosts of a database URL. libpq accepts several, `pg` only one:
 * `postgres://user@a,b:5433/errata?target_session_attrs=read-write`, or as lists in the parameters `host` and `port`.
 *
 * Source: PostgreSQL, "Connection URIs" and "Specifying Multiple Hosts".
 */

export interface DatabaseHosts {
  /** For each host, in the order of the URL: its name for messages, and its own URL. */
  readonly hosts: ReadonlyArray<DatabaseHost>
  /** True to use only a host that accepts writes. */
  readonly mustWrite: boolean
  /** The reason why the URL is unusable, or null. */
  readonly problem: string | null
}

export interface DatabaseHost {
  readonly name: string
  readonly url: string
}

/** Parses a URL with several hosts or `target_session_attrs`. Returns null for other URLs, which `pg` reads itself. */
export const parse = (url: string): DatabaseHosts | null => {
  const parts = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url)
  if (parts === null) return null
  const [, scheme, user, authority, path, query = ""] = parts
  const parameters = new URLSearchParams(query)
  const attributes = parameters.get("target_session_attrs")
  parameters.delete("target_session_attrs")
  const listed = parameters.get("host")?.split(",") ?? []
  const inAuthority = authority!.split(",")
  if (attributes === null && Math.max(inAuthority.length, listed.length) < 2) return null
  const ports = parameters.get("port")?.split(",") ?? []
  const start = `${scheme}${user === undefined ? "" : `${user}@`}`
  const hosts =
    listed.length > 1
      ? listed.map((host, at) => {
          const port = ports[at] ?? ports[0] ?? ""
          const own = withParameters(parameters, { host, port })
          return {
            name: port === "" ? host : `${host}:${port}`,
            url: `${start}${inAuthority[0]}${path}${own}`,
          }
        })
      : inAuthority.map((name) => ({
          name: listed[0] ?? name,
          url: `${start}${name}${path}${withParameters(parameters, {})}`,
        }))
  return { hosts, mustWrite: attributes !== "any", problem: problemOf(attributes) }
}

// internal

const problemOf = (attributes: string | null): string | null =>
  attributes === null || ["any", "primary", "read-write"].includes(attributes)
    ? null
    : `target_session_attrs must be read-write, primary or any, not ${attributes}: Errata writes to its database`

const withParameters = (parameters: URLSearchParams, own: Readonly<Record<string, string>>): string => {
  const all = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(own)) {
    if (value === "") all.delete(name)
    else all.set(name, value)
  }
  return all.size === 0 ? "" : `?${all}`
}
