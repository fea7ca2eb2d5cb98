/** The port of a storage that connects no applications by OAuth. */
import { Effect, Layer } from "effect"
import { OAuthStore } from "../oauth/OAuthStore.js"
import { done, empty, no, none, refusedBy, zero } from "./Answers.js"

const refused = refusedBy("connected applications")

export const layer: Layer.Layer<OAuthStore> = Layer.succeed(OAuthStore, {
  insertClient: refused("OAuthStore.insertClient"),
  findClient: none,
  insertCode: refused("OAuthStore.insertCode"),
  takeCode: () => Effect.succeed({ _tag: "Unknown" }),
  connect: refused("OAuthStore.connect"),
  insertTokens: done,
  lockRefreshToken: none,
  useRefreshToken: done,
  findAccessToken: none,
  findConnection: none,
  listConnections: empty,
  disconnect: no,
  disconnectUser: done,
  expire: zero,
})
