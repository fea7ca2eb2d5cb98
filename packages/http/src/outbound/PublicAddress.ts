/**
 * Recognizes public addresses by IANA's registries of special-purpose addresses. Unknown addresses are not public: IPv6
 * has one block of public addresses.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net"

/** True if the address belongs to the public internet. */
export const isPublic = (address: string): boolean => {
  if (isIPv4(address)) return !specialV4.check(address, "ipv4")
  if (!isIPv6(address)) return false
  const words = wordsOf(address)
  if (words === null) return false
  const [first, second, , , , sixth] = words
  // Both map to the IPv4 address in the last four bytes: `::ffff:0:0/96` on this machine, and `64:ff9b::/96` by NAT64.
  const isMapped = words.slice(0, 5).every((word) => word === 0) && sixth === 0xffff
  const isTranslated = first === 0x64 && second === 0xff9b && words.slice(2, 6).every((word) => word === 0)
  if (isMapped || isTranslated) return isPublic(embeddedV4(words))
  return globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6")
}

// internal

const blocks = (family: "ipv4" | "ipv6", ...subnets: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network, prefix] = subnet.split("/")
    list.addSubnet(network!, Number(prefix), family)
  }
  return list
}

const specialV4 = blocks(
  "ipv4",
  "0.0.0.0/8", // This host on this network.
  "10.0.0.0/8", // Private.
  "100.64.0.0/10", // Shared, behind a provider's NAT.
  "127.0.0.0/8", // Loopback.
  "169.254.0.0/16", // Link-local, including the metadata services of clouds.
  "172.16.0.0/12", // Private.
  "192.0.0.0/24", // Protocol assignments.
  "192.0.2.0/24", // Documentation.
  "192.31.196.0/24", // AS112.
  "192.52.193.0/24", // AMT.
  "192.88.99.0/24", // 6to4 relays.
  "192.168.0.0/16", // Private.
  "192.175.48.0/24", // AS112.
  "198.18.0.0/15", // Benchmarks.
  "198.51.100.0/24", // Documentation.
  "203.0.113.0/24", // Documentation.
  "224.0.0.0/4", // Multicast.
  "240.0.0.0/4", // Reserved, and broadcast.
)

const globalV6 = blocks("ipv6", "2000::/3")

const specialV6 = blocks(
  "ipv6",
  "2001::/23", // Protocol assignments, including Teredo, which reaches any IPv4 address.
  "2001:db8::/32", // Documentation.
  "2002::/16", // 6to4, which reaches any IPv4 address.
  "2620:4f:8000::/48", // AS112.
  "3fff::/20", // Documentation.
)

/** Returns the eight words of an IPv6 address, or null if it has a zone. */
const wordsOf = (address: string): ReadonlyArray<number> | null => {
  // The URL parser normalizes addresses, including an embedded IPv4 address.
  const url = `http://[${address}]/`
  if (!URL.canParse(url)) return null
  const [head = "", tail] = new URL(url).hostname.slice(1, -1).split("::")
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16))
  const before = parse(head)
  const after = parse(tail ?? "")
  return tail === undefined
    ? before
    : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

const embeddedV4 = (words: ReadonlyArray<number>): string =>
  words
    .slice(6)
    .flatMap((word) => [word >> 8, word & 0xff])
    .join(".")
