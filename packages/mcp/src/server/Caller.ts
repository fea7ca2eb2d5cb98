/** Who calls, as the protocol's library carries it from the door to the registrations. */
import type { Actor, Grant } from "@errata/core"
import type { AuthInfo } from "@modelcontextprotocol/server"

/** The scopes of tokens by what they grant. */
export type Scopes = Readonly<Record<Grant, string>>

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
  ) {
    this.scopes =
      actor._tag === "System" ? [scopes.read, scopes.write] : actor.grants.map((grant) => scopes[grant])
    if (resourceMetadataUrl !== null) this.resourceMetadataUrl = resourceMetadataUrl
  }
}
