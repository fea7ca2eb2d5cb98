/** The caller, as the protocol's library passes it from the endpoint to the registrations. */
import { type Actor, allGrants, type Grant } from "@errata/core"
import type { AuthInfo } from "@modelcontextprotocol/server"

/** The scopes of tokens by what they grant. */
export type Scopes = Readonly<Record<Grant, string>>

/** The object of a request, so that a server for it registers nothing else. */
export interface Asked {
  readonly method: string
  /** The name of a tool or prompt; undefined for other methods. */
  readonly name: string | undefined
}

export class Caller implements AuthInfo {
  /** Empty: the endpoint has checked the credential, and nothing else may read it. */
  readonly token = ""
  readonly clientId = ""
  readonly scopes: Array<string>
  declare readonly resourceMetadataUrl?: string

  constructor(
    readonly actor: Actor,
    scopes: Scopes,
    resourceMetadataUrl: string | null,
    /** Base URL for links, or null if it is unknown. */
    readonly webAddress: string | null,
    /** Null for a batch of requests. */
    readonly asked: Asked | null = null,
  ) {
    const granted = actor._tag === "System" ? allGrants : actor.grants
    this.scopes = (["read", "write"] as const).flatMap((grant) =>
      granted.includes(grant) ? [scopes[grant]] : [],
    )
    if (resourceMetadataUrl !== null) this.resourceMetadataUrl = resourceMetadataUrl
  }
}
