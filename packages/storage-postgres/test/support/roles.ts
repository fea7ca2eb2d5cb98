/** Roles as a DBA creates them: one owns and migrates the schema, the other only runs Errata. */
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import pg from "pg"

/** The grants in docs/postgresql.md for a role that only runs Errata. */
export const grants = (schema: string, owner: string, runner: string): string => `
  GRANT USAGE ON SCHEMA ${schema} TO ${runner};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${runner};
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${runner};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema}
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${runner};
  ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${runner};`

/** The grants in docs/scaling.md for the same role on a distributed database. */
export const bucketGrants = (schema: string, owner: string, runner: string): string => `
  DO $$
  DECLARE
    bucket text;
  BEGIN
    FOR bucket IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^${schema}_b[0-9]+$' LOOP
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${runner}', bucket);
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO ${runner}', bucket);
      EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO ${runner}', bucket);
      EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA %I
        GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${runner}', bucket);
    END LOOP;
  END $$;`

/** Executes a script on its own connection. */
export const execute = (url: Redacted.Redacted, text: string) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(url) })
      await client.connect()
      return client
    }),
    (client) => Effect.tryPromise(() => client.query(text)),
    (client) => Effect.promise(() => client.end()),
  )

/** Creates the two roles on a database and a schema of the owner. They are dropped with the scope. */
export const make = (database: Redacted.Redacted, schema: string) =>
  Effect.gen(function* () {
    const suffix = randomUUID().replaceAll("-", "")
    const [owner, runner] = [`owner_${suffix}`, `runner_${suffix}`]
    yield* Effect.acquireRelease(
      execute(
        database,
        `CREATE ROLE ${owner} LOGIN PASSWORD '${suffix}'; CREATE ROLE ${runner} LOGIN PASSWORD '${suffix}';
         GRANT ${owner} TO CURRENT_USER; CREATE SCHEMA ${schema} AUTHORIZATION ${owner}`,
      ),
      () => Effect.ignore(execute(database, `DROP OWNED BY ${owner} CASCADE; DROP ROLE ${owner}, ${runner}`)),
    )
    return { owner, runner, asOwner: as(database, owner, suffix), asRunner: as(database, runner, suffix) }
  })

// internal

const as = (database: Redacted.Redacted, role: string, password: string) => {
  const url = new URL(Redacted.value(database))
  url.username = role
  url.password = password
  return Redacted.make(url.href)
}
