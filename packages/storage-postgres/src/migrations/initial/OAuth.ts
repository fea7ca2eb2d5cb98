/** OAuth clients and their connections to users. The tables stay small: unused rows are removed. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const oauth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.oauth_clients (
      client_id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      redirect_uris text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      -- When somebody has last approved it; null before the first time.
      approved_at timestamptz
    )`
  // Clients without an approval, for counting and expiry.
  yield* sql`CREATE INDEX oauth_clients_unused ON errata.oauth_clients (created_at) WHERE approved_at IS NULL`
  yield* sql`CREATE INDEX oauth_clients_used ON errata.oauth_clients (approved_at) WHERE approved_at IS NOT NULL`

  // Clients that are described by their own metadata document have no row in `oauth_clients`.
  yield* sql`
    CREATE TABLE errata.oauth_connections (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      client_id text COLLATE "C" NOT NULL,
      client_name text NOT NULL,
      user_id bigint NOT NULL REFERENCES errata.users (id),
      resource text NOT NULL,
      grants text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      last_used_at timestamptz NOT NULL DEFAULT errata.now()
    )`
  // Connections of a user, and of a client.
  yield* sql`CREATE INDEX oauth_connections_user ON errata.oauth_connections (user_id, id)`
  yield* sql`CREATE INDEX oauth_connections_client ON errata.oauth_connections (client_id)`

  yield* sql`
    CREATE TABLE errata.oauth_codes (
      code_hash text COLLATE "C" PRIMARY KEY,
      client_id text NOT NULL,
      client_name text NOT NULL,
      user_id bigint NOT NULL REFERENCES errata.users (id),
      redirect_uri text NOT NULL,
      code_challenge text NOT NULL,
      resource text NOT NULL,
      grants text[] NOT NULL,
      ends_at timestamptz NOT NULL,
      used_at timestamptz,
      -- What came of it. A code is kept as long as that: presented once more it ends it.
      connection_id bigint REFERENCES errata.oauth_connections (id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX oauth_codes_connection ON errata.oauth_codes (connection_id)`
  yield* sql`CREATE INDEX oauth_codes_end ON errata.oauth_codes (ends_at) WHERE connection_id IS NULL`
  yield* sql`CREATE INDEX oauth_codes_user ON errata.oauth_codes (user_id)`

  yield* sql`
    CREATE TABLE errata.oauth_tokens (
      token_hash text COLLATE "C" PRIMARY KEY,
      connection_id bigint NOT NULL REFERENCES errata.oauth_connections (id) ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('access', 'refresh')),
      -- Of a refresh token: the one whose use brought it.
      predecessor_hash text COLLATE "C",
      -- Of an access token: those of the connection or fewer.
      grants text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      ends_at timestamptz NOT NULL,
      -- Of a refresh token: its first use.
      used_at timestamptz
    )`
  // Tokens of a connection.
  yield* sql`CREATE INDEX oauth_tokens_connection ON errata.oauth_tokens (connection_id, kind, created_at)`
  // Removal of expired tokens.
  yield* sql`CREATE INDEX oauth_tokens_end ON errata.oauth_tokens (ends_at)`
})
