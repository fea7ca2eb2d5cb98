/** What scopes and the resource are called on the wire. */
import type { Grant } from "@errata/core"
import type { Authorization } from "@errata/core/internal"

export const scopesOf = (serviceName: string) => [`${serviceName}.read`, `${serviceName}.write`] as const

export const scopeText = (grants: ReadonlyArray<Grant>, serviceName: string): string =>
  grants.map((grant) => `${serviceName}.${grant}`).join(" ")

/** Tokens are for the MCP endpoint; what only knows the instance's own address means the same. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

export const namesOf = (baseUrl: string, serviceName: string): Authorization.Names => {
  const [read, write] = scopesOf(serviceName)
  return { scopes: { [read]: "read", [write]: "write" }, resources: [resourceOf(baseUrl), baseUrl] }
}
