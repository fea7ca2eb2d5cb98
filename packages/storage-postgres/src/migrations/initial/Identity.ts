/** Credentials and sessions of users. Small tables. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.passwords (
      user_id bigint PRIMARY KEY REFERENCES errata.users (id),
      hash text NOT NULL,
      set_at timestamptz NOT NULL DEFAULT errata.now()
    )`

  // Only hashes of tokens are stored, here and in all tables.
  yield* sql`
    CREATE TABLE errata.sign_in_links (
      user_id bigint PRIMARY KEY REFERENCES errata.users (id),
      token_hash text COLLATE "C" NOT NULL UNIQUE,
      ends_at timestamptz NOT NULL
    )`
  // Removal of expired links.
  yield* sql`CREATE INDEX sign_in_links_end ON errata.sign_in_links (ends_at)`

  yield* sql`
    CREATE TABLE errata.sessions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id bigint NOT NULL REFERENCES errata.users (id),
      token_hash text COLLATE "C" NOT NULL UNIQUE,
      method text NOT NULL CHECK (method IN ('password', 'link', 'application')),
      user_agent text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      last_used_at timestamptz NOT NULL DEFAULT errata.now(),
      -- It ends at the first of the two; the one moves with its use.
      idle_until timestamptz NOT NULL,
      ends_at timestamptz NOT NULL
    )`
  // Sessions of a user.
  yield* sql`CREATE INDEX sessions_user ON errata.sessions (user_id, id)`
  // Removal of expired sessions.
  yield* sql`CREATE INDEX sessions_end ON errata.sessions (least(idle_until, ends_at))`

  yield* sql`
    CREATE TABLE errata.bearers (
      token_hash text COLLATE "C" PRIMARY KEY,
      session_id bigint NOT NULL REFERENCES errata.sessions (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      ends_at timestamptz NOT NULL
    )`
  // Tokens of a session.
  yield* sql`CREATE INDEX bearers_session ON errata.bearers (session_id, created_at)`
  // Removal of expired tokens.
  yield* sql`CREATE INDEX bearers_end ON errata.bearers (ends_at)`

  yield* sql`
    CREATE TABLE errata.throttles (
      key text COLLATE "C" PRIMARY KEY,
      taken integer NOT NULL,
      ends_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`
  // Removal of expired throttles.
  yield* sql`CREATE INDEX throttles_end ON errata.throttles (ends_at)`
})
