/** Clients that describe themselves in a document of their own: their id is its address. */
import { Context, type Effect, Option, Schema } from "effect"
import type { ClientMetadata } from "./OAuthClient.js"

/** The document could not be read. */
export class ClientDocumentUnreadable extends Schema.TaggedError<ClientDocumentUnreadable>()(
  "ClientDocumentUnreadable",
  {
    /** For the log. */
    reason: Schema.String,
  },
) {}

/** A client's own description, as its address serves it. Nothing in it is checked yet. */
export interface ClientDocument extends ClientMetadata {
  readonly client_id?: unknown
}

/**
 * Reads such documents: JSON from an https address, without following redirects, of public hosts only, bounded in size
 * and time, and kept for a while. Who provides none refuses such clients.
 */
export const ClientDocuments = Context.Reference("@errata/core/oauth/ClientDocuments", {
  defaultValue: (): Option.Option<{
    /** `address` is the network address of the signed-in person. */
    readonly read: (url: string, address: string) => Effect.Effect<ClientDocument, ClientDocumentUnreadable>
  }> => Option.none(),
})

/** Whether a client's id is such an address: https, with a path, without credentials, fragment, query or dots. */
export const isDocumentAddress = (clientId: string): boolean => {
  if (clientId.length > 500 || !clientId.startsWith("https://") || !URL.canParse(clientId)) return false
  const { hash, href, password, pathname, search, username } = new URL(clientId)
  return (
    href === clientId &&
    pathname !== "/" &&
    hash === "" &&
    search === "" &&
    username === "" &&
    password === ""
  )
}
