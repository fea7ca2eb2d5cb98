/** Broken stores of users, sessions and OAuth connections, for `BrokenStores`. */
import { CredentialStore, OAuthStore, SessionStore, ThrottleStore } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenIdentityStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "links that work again and again",
    break: patch(CredentialStore, ({ findLink }) => ({ takeLink: findLink })),
    fails: {
      CredentialStore: ["gives the user of a link to one of many who take it at once"],
    },
  },
  {
    fault: "sessions that never end",
    break: patch(SessionStore, ({ insert }) => ({
      insert: (session, keep) =>
        insert({ ...session, idle: Duration.days(1000), longest: Duration.days(1000) }, keep),
    })),
    fails: {
      SessionStore: ["ends a session that nobody uses, and one that is used at the end of its longest time"],
    },
  },
  {
    fault: "sessions that survive being ended",
    break: patch(SessionStore, () => ({ end: () => Effect.succeed(true), endAll: () => Effect.void })),
    fails: {
      SessionStore: ["ends one session of its own user, or all but one"],
    },
  },
  {
    fault: "attempts that are not counted",
    break: patch(ThrottleStore, ({ take }) => ({
      take: (key, limit, window) =>
        Effect.map(take(key, limit, window), (turn) => ({ ...turn, allowed: true })),
    })),
    fails: {
      ThrottleStore: ["allows as many attempts as it is told, however many nodes try at once"],
    },
  },
  {
    fault: "codes that forget what came of them",
    break: patch(OAuthStore, ({ takeCode }) => ({
      takeCode: (hash) =>
        Effect.map(takeCode(hash), (taken) =>
          taken._tag === "Spent" ? { _tag: "Spent", connectionId: null } : taken,
        ),
    })),
    fails: {
      OAuthStore: ["leads from a code to what came of it, for as long as that lasts"],
    },
  },
  {
    fault: "refresh tokens without a record of their use",
    break: patch(OAuthStore, () => ({ useRefreshToken: () => Effect.void })),
    fails: {
      OAuthStore: ["tells of a refresh token how long ago it was first used"],
    },
  },
  {
    fault: "connections that stay",
    break: patch(OAuthStore, () => ({
      disconnect: () => Effect.succeed(true),
      disconnectUser: () => Effect.void,
    })),
    fails: {
      OAuthStore: ["ends a connection with all its tokens, for its own user or whoever may"],
    },
  },
  {
    fault: "clients without number",
    break: patch(OAuthStore, ({ insertClient }) => ({
      insertClient: (client) => insertClient(client, Number.MAX_SAFE_INTEGER),
    })),
    fails: {
      OAuthStore: ["keeps clients as they registered, and of those that nobody has approved the newest"],
    },
  },
]
