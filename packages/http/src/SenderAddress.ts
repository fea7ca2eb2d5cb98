/** Where a request comes from, behind proxies as well. */

/**
 * Proxies append to `X-Forwarded-For` where a request came to them from: as many entries from its end as there are
 * proxies can be believed, and whatever stands before them is anybody's. Without such an entry it is `own`, the address
 * of the connection.
 */
export const forwardedOr = (own: string, header: string | undefined, trustedProxies: number): string => {
  if (trustedProxies === 0) return own
  const forwarded = (header ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  const given = forwarded.at(-trustedProxies)
  if (given === undefined || given.length > 100) return own
  // Some proxies name the port as well, with which each connection would be somebody else.
  return given.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1")
}
