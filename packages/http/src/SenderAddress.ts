/** The address of a client, also behind proxies. */

/**
 * Each proxy appends to `X-Forwarded-For` the address of the sender that it saw. With n trusted proxies the last n entries
 * are true; a sender can forge the entries before them. Without such an entry it is `own`, the address
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
  // Some proxies append the port as well, which differs for each connection.
  return given.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1")
}
