/**
 * The schema of the tables. Statements are written for the schema `errata`, and clients of other schemas replace the
 * name. A `search_path` would be lost behind a pooler, and would change the application's pool.
 */

/** The default schema. */
export const standard = "errata"

/** Most characters of a name. PostgreSQL cuts longer names. */
export const maxLength = 63

/** Returns why a schema name is invalid, or null. */
export const problemOf = (name: string): string | null => {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    return "must be 1 to 63 lower-case letters, digits and underscores, and must not begin with a digit"
  }
  return name === "public" || name === "information_schema" || name.startsWith("pg_")
    ? "must be the name of a schema for Errata alone"
    : null
}

/**
 * Returns a function that rewrites statements for a schema. Takes 3 us for 3 KB. A cache would take 10 us, because
 * hashing a newly built string costs more.
 */
export const renderer = (schema: string): ((text: string) => string) =>
  schema === standard ? (text) => text : (text) => text.replace(written, schema)

// internal

/** Matches `errata.groups`, `"errata"."groups"` and `'errata'::regnamespace`. Statements never contain values. */
const written = /\berrata(?=[."'])/g
