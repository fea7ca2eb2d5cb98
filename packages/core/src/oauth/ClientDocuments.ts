/** Clients whose id is the URL of their metadata document. */
import { Context, type Effect, Option, Schema } from "effect"
import type { ClientMetadata } from "./OAuthClient.js"

/** The document could not be read. */
export class ClientDocumentUnreadable extends Schema.TaggedError<ClientDocumentUnreadable>()(
  "ClientDocumentUnreadable",
  {
    /** Written to the log. */
    reason: Schema.String,
  },
) {}

/** A metadata document as served. Not validated. */
export interface ClientDocument extends ClientMetadata {
  readonly client_id?: unknown
}

/**
 * Reads metadata documents: JSON over https from public hosts, without redirects, limited in size and time, cached.
 * Clients with a document are rejected if no reader is provided.
 */
export const ClientDocuments = Context.Reference("@errata/core/oauth/ClientDocuments", {
  defaultValue: (): Option.Option<{
    /** `address` is the network address of the signed-in user. */
    readonly read: (url: string, address: string) => Effect.Effect<ClientDocument, ClientDocumentUnreadable>
  }> => Option.none(),
})

/** True for a document's URL: https, with a path, without credentials, fragment, query or dot segments. */
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
