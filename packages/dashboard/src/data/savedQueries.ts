/** Saved queries. They are stored only in the browser. */
import { signal } from "@preact/signals"

export interface SavedQuery {
  readonly name: string
  readonly query: string
  /** The order of the list. */
  readonly sort: string
}

export const maxQueries = 50
export const maxNameLength = 60
const maxQueryLength = 1_000

/** In the order in which they were saved. */
export const savedQueries = signal<ReadonlyArray<SavedQuery>>([])

/** Saves a query, replacing one with the same name. Returns the failure, or null. */
export const saveQuery = (saved: SavedQuery): string | null => {
  const name = nameOf(saved.name)
  if (name === "") return "Enter a name."
  if (saved.query.length > maxQueryLength) return "The query is too long."
  const others = current().filter((other) => other.name !== name)
  if (others.length >= maxQueries) return `There are ${maxQueries} saved queries. Delete one first.`
  return keep([...others, { ...saved, name }])
}

/** Returns why the query was not renamed; null if it was. */
export const renameQuery = (from: string, to: string): string | null => {
  const name = nameOf(to)
  if (name === from) return null
  if (name === "") return "Enter a name."
  const queries = current()
  if (queries.some((other) => other.name === name)) return "Another saved query has this name."
  return keep(queries.map((saved) => (saved.name === from ? { ...saved, name } : saved)))
}

export const deleteQuery = (name: string): string | null =>
  keep(current().filter((saved) => saved.name !== name))

/** The path of the list with a saved query: of a project, or of all (NaN). */
export const savedPath = ({ query, sort }: Omit<SavedQuery, "name">, projectId: number): string =>
  `${Number.isNaN(projectId) ? "" : `projects/${projectId}/`}groups?${new URLSearchParams({ query, sort })}`

/** Reads the stored text, and leaves out everything but saved queries. */
export const parseQueries = (text: string | null): ReadonlyArray<SavedQuery> => {
  let found: unknown
  try {
    found = JSON.parse(text ?? "[]")
  } catch {
    return []
  }
  if (!Array.isArray(found)) return []
  const queries = found.filter(isSaved).map(({ name, query, sort }) => ({ name, query, sort }))
  return [...new Map(queries.map((saved) => [saved.name, saved])).values()].slice(0, maxQueries)
}

// internal

const key = "errata.queries"

const nameOf = (text: string): string => text.trim().slice(0, maxNameLength).trim()

const isSaved = (value: Partial<Record<keyof SavedQuery, unknown>> | null): value is SavedQuery => {
  if (typeof value !== "object" || value === null) return false
  const { name, query, sort } = value
  return (
    typeof name === "string" &&
    nameOf(name) === name &&
    name !== "" &&
    typeof query === "string" &&
    query.length <= maxQueryLength &&
    typeof sort === "string" &&
    sort.length <= maxNameLength
  )
}

/** Reads them again, as another tab may have changed them. */
const current = (): ReadonlyArray<SavedQuery> => {
  try {
    savedQueries.value = parseQueries(localStorage.getItem(key))
  } catch {
    // Storage is blocked: the queries last as long as the page.
  }
  return savedQueries.peek()
}

const keep = (queries: ReadonlyArray<SavedQuery>): string | null => {
  savedQueries.value = queries
  try {
    localStorage.setItem(key, JSON.stringify(queries))
    return null
  } catch {
    return "The browser does not store the queries. They last until the page is closed."
  }
}

current()
globalThis.addEventListener?.("storage", (event) => {
  if (event.key === key) current()
})
