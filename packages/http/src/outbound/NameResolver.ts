/**
 * Resolves names for requests to user-supplied addresses. The resolver of the system would block one of the four
 * threads of libuv's pool, which files and hashes need too, for as long as the name server takes. Like the system, this
 * one reads the hosts file first. It does not append search domains.
 */
import { Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import { Context } from "effect"

/** Returns the addresses of a name, or none. */
type Resolve = (name: string) => Promise<ReadonlyArray<string>>

export const NameResolver = Context.Reference("@errata/http/outbound/NameResolver", {
  defaultValue: (): Resolve => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    return async (name) => {
      const known = (await readHosts()).get(withoutDot(name))
      if (known !== undefined) return known
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      return [v4, v6].flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    }
  },
})

/** Parses a hosts file into addresses by name, IPv4 first. */
export const parseHosts = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const hosts = new Map<string, Array<string>>([["localhost", ["127.0.0.1", "::1"]]])
  for (const line of text.split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (address === undefined || address === "") continue
    for (const name of names) {
      const known = hosts.get(withoutDot(name)) ?? []
      if (!known.includes(address)) hosts.set(withoutDot(name), [...known, address])
    }
  }
  for (const addresses of hosts.values())
    addresses.sort((self, that) => Number(isIPv4(that)) - Number(isIPv4(self)))
  return hosts
}

// internal

const hostsFile =
  process.platform === "win32" ? `${process.env.SystemRoot}\\System32\\drivers\\etc\\hosts` : "/etc/hosts"

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, "")

let read: { readonly at: number; readonly hosts: ReturnType<typeof parseHosts> } | null = null

/** Cached for some seconds, since every connection needs it. */
const readHosts = async () => {
  const now = performance.now()
  if (read === null || now - read.at > 5000) {
    // The file may be missing.
    const text = await readFile(hostsFile, "utf8").catch(() => "")
    read = { at: now, hosts: parseHosts(text) }
  }
  return read.hosts
}
