/**
 * The schema that holds the tables. Statements are written for the schema `errata`. A client of another schema puts its
 * name in their place, because a `search_path` would be lost behind a pooler and would change a pool of the application.
 */

/** The schema of the tables by default. */
export const standard = "errata"

/** Returns what a name of a schema must be, or null if this one is fine. */
export const problemOf = (name: string): string | null => {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    return "must be 1 to 63 lower-case letters, digits and underscores, and must not begin with a digit"
  }
  return name === "public" || name === "information_schema" || name.startsWith("pg_")
    ? "must be the name of a schema for Errata alone"
    : null
}

/**
 * Returns the statement for a schema, given the one for `errata`. It costs 3 us for a statement of 3 KB. To keep the results by
 * their texts would cost 10 us, because a text that was just put together has to be hashed.
 */
export const renderer = (schema: string): ((text: string) => string) =>
  schema === standard ? (text) => text : (text) => text.replace(written, schema)

// internal

/** As in `errata.groups`, `"errata"."groups"` and `'errata'::regnamespace`. Values are never in the text of a statement. */
const written = /\berrata(?=[."'])/g
