/** Names of scopes and resources in requests. */
import type { Grant } from "@errata/core"
import type { Authorization } from "@errata/core/internal"

export const scopesOf = (serviceName: string) => [`${serviceName}.read`, `${serviceName}.write`] as const

export const scopeText = (grants: ReadonlyArray<Grant>, serviceName: string): string =>
  grants.map((grant) => `${serviceName}.${grant}`).join(" ")

/** The resource of tokens is the MCP endpoint. Clients may also name the base URL of the instance. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

export const namesOf = (baseUrl: string, serviceName: string): Authorization.Names => {
  const [read, write] = scopesOf(serviceName)
  return { scopes: { [read]: "read", [write]: "write" }, resources: [resourceOf(baseUrl), baseUrl] }
}
