/** Who calls, as the protocol's library carries it from the door to the registrations. */
import { type Actor, allGrants, type Grant } from "@errata/core"
import type { AuthInfo } from "@modelcontextprotocol/server"

/** The scopes of tokens by what they grant. */
export type Scopes = Readonly<Record<Grant, string>>

/** The one thing that a request is about; a server for it has no need of all the others. */
export interface Asked {
  readonly method: string
  /** Of a tool, a prompt or a resource; undefined where the method is about none. */
  readonly name: string | undefined
}

export class Caller implements AuthInfo {
  /** The credential itself has no business beyond the door. */
  readonly token = ""
  readonly clientId = ""
  readonly scopes: Array<string>
  declare readonly resourceMetadataUrl?: string

  constructor(
    readonly actor: Actor,
    scopes: Scopes,
    resourceMetadataUrl: string | null,
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
