/** Metadata documents for OAuth and MCP clients. */
import { ClientDocuments, ErrataConfig } from "@errata/core"
import { Effect, Option } from "effect"
import type { SiteRequest } from "../site/SiteRequest.js"
import { version } from "../Version.js"
import { json } from "./OAuthEndpoints.js"
import { resourceOf, scopesOf } from "./OAuthNames.js"

/** Metadata of the authorization server (RFC 8414). */
export const authorizationServer = (
  { baseUrl }: SiteRequest,
  settings: { readonly authorizationResponseIss: boolean },
) =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    const documents = yield* ClientDocuments
    return json(200, {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      registration_endpoint: `${baseUrl}/oauth/register`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      scopes_supported: scopesOf(serviceName),
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: Option.isSome(documents),
      authorization_response_iss_parameter_supported: settings.authorizationResponseIss,
    })
  })

/** Metadata of the protected resource (RFC 9728). */
export const protectedResource = ({ baseUrl }: SiteRequest) =>
  Effect.map(ErrataConfig, ({ serviceName }) =>
    json(200, {
      resource: resourceOf(baseUrl),
      resource_name: "Errata",
      authorization_servers: [baseUrl],
      scopes_supported: scopesOf(serviceName),
      bearer_methods_supported: ["header"],
    }),
  )

/** Metadata of the MCP endpoint, for clients that know only the host. */
export const mcp = ({ baseUrl }: SiteRequest) =>
  Effect.succeed(
    json(200, {
      name: "Errata",
      version,
      url: resourceOf(baseUrl),
      transport: "streamable-http",
      authorization: {
        type: "oauth2",
        resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
      },
    }),
  )
