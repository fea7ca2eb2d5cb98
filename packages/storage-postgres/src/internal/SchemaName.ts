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

/** Returns the statement for a schema, given the one for `errata`. Statements are few: each is rendered once. */
export const renderer = (schema: string): ((text: string) => string) => {
  if (schema === standard) return (text) => text
  const rendered = new Map<string, string>()
  return (text) => {
    const known = rendered.get(text)
    if (known !== undefined) return known
    const made = text.replace(written, schema)
    if (rendered.size >= maxRendered) rendered.clear()
    rendered.set(text, made)
    return made
  }
}

// internal

/** As in `errata.groups`, `"errata"."groups"` and `'errata'::regnamespace`. Values are never in the text of a statement. */
const written = /\berrata(?=[."'])/g

/** More than there are statements. Lists of values have one parameter, whatever their length. */
const maxRendered = 2_000
