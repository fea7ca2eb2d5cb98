/** Broken stores of users, sessions and OAuth connections, for `BrokenStores`. */
import { CredentialStore, OAuthStore, RateLimitStore } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenIdentityStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "links that work again and again",
    break: patch(CredentialStore, ({ findLink }) => ({ takeLink: findLink })),
    fails: {
      CredentialStore: ["returns a link's user to only one of several concurrent callers"],
    },
  },
  {
    fault: "sessions that never end",
    break: patch(CredentialStore, ({ insertSession: insert }) => ({
      insertSession: (session, keep) =>
        insert({ ...session, idle: Duration.days(1000), longest: Duration.days(1000) }, keep),
    })),
    fails: {
      "CredentialStore sessions": ["expires idle sessions, and used ones at their maximum age"],
    },
  },
  {
    fault: "sessions that survive being ended",
    break: patch(CredentialStore, () => ({
      endSession: () => Effect.succeed(true),
      endSessions: () => Effect.void,
    })),
    fails: {
      "CredentialStore sessions": ["ends one session of its own user, all but one, or all"],
    },
  },
  {
    fault: "attempts that are not counted",
    break: patch(RateLimitStore, ({ take }) => ({
      take: (key, limit, window) =>
        Effect.map(take(key, limit, window), (turn) => ({ ...turn, allowed: true })),
    })),
    fails: {
      RateLimitStore: ["allows the given number of attempts across nodes"],
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
      OAuthStore: ["finds the connection of a used code until the connection ends"],
    },
  },
  {
    fault: "refresh tokens without a record of their use",
    break: patch(OAuthStore, () => ({ useRefreshToken: () => Effect.void })),
    fails: {
      OAuthStore: ["returns the time since a refresh token was first used"],
    },
  },
  {
    fault: "connections that stay",
    break: patch(OAuthStore, () => ({
      disconnect: () => Effect.succeed(true),
      disconnectUser: () => Effect.void,
    })),
    fails: {
      OAuthStore: ["ends a connection with all its tokens, for its own user only"],
    },
  },
  {
    fault: "clients without number",
    break: patch(OAuthStore, ({ insertClient }) => ({
      insertClient: (client) => insertClient(client, Number.MAX_SAFE_INTEGER),
    })),
    fails: {
      OAuthStore: ["keeps registered clients, and only the newest unapproved ones"],
    },
  },
]
