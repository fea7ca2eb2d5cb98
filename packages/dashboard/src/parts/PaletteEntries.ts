/** The entries that the palette offers for a text. */
import type { AdminPage } from "../data/adminPages.js"
import { type SavedQuery, savedPath } from "../data/savedQueries.js"
import type { Shortcut } from "../keys/Keys.js"

export interface Entry {
  readonly label: string
  readonly kind: "Page" | "Project" | "Action" | "Group" | "Report" | "Query"
  /** The path of a page, below the root. */
  readonly to?: string
  readonly run?: () => void
  /** The equivalent shortcut. */
  readonly key?: string
}

interface Known {
  readonly projects: ReadonlyArray<{ readonly id: number; readonly name: string }>
  /** The project of the current page; NaN if it has none. */
  readonly projectId: number
  /** The pages about the instance that the caller may open. */
  readonly adminPages: ReadonlyArray<AdminPage>
  readonly sections: ReadonlyArray<{ readonly title: string; readonly shortcuts: ReadonlyArray<Shortcut> }>
  readonly queries?: ReadonlyArray<SavedQuery>
}

/**
 * Returns at most twelve entries: numbers and event ids first, then entries with all words of the text, and last the
 * search of groups for it.
 */
export const entriesFor = (text: string, known: Known): ReadonlyArray<Entry> => {
  const typed = text.trim().toLowerCase()
  const words = typed.split(/\s+/)
  const all = [...pages, ...ofQueries(known), ...ofProjects(known), ...ofInstance(known), ...actions(known)]
  const named = all.filter(({ kind, label }) =>
    words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)),
  )
  const found = [...direct(typed, known), ...named]
  return typed === ""
    ? found.slice(0, maxEntries)
    : [...found.slice(0, maxEntries - 1), search(text.trim(), known)]
}

// internal

const maxEntries = 12

const pages: ReadonlyArray<Entry> = [
  { label: "Projects", kind: "Page", to: "projects", key: "g p" },
  { label: "All groups", kind: "Page", to: "groups", key: "g a" },
  { label: "New project", kind: "Page", to: "projects/new" },
]

const ofInstance = ({ adminPages }: Known): ReadonlyArray<Entry> =>
  adminPages.map(({ key, slug, title }) => ({
    label: title,
    kind: "Page",
    to: `settings/${slug}`,
    ...(key === undefined ? {} : { key }),
  }))

/** In the project of the page, else in all. */
const ofQueries = ({ projectId, queries = [] }: Known): ReadonlyArray<Entry> =>
  queries.map((saved) => ({ label: saved.name, kind: "Query", to: savedPath(saved, projectId) }))

const ofProjects = ({ projects }: Known): ReadonlyArray<Entry> =>
  projects.flatMap(
    ({ id, name }): ReadonlyArray<Entry> => [
      { label: name, kind: "Project", to: `projects/${id}/groups` },
      { label: `Set up ${name}`, kind: "Page", to: `projects/${id}/setup` },
      { label: `Settings of ${name}`, kind: "Page", to: `projects/${id}/settings` },
      { label: `Alerts of ${name}`, kind: "Page", to: `projects/${id}/settings/alerts` },
      { label: `Webhooks of ${name}`, kind: "Page", to: `projects/${id}/settings/webhooks` },
    ],
  )

/** Single keys alone: the others are pages, or the palette itself. */
const actions = ({ sections }: Known): ReadonlyArray<Entry> =>
  sections
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ key }) => key.length === 1 && !"jkxXo".includes(key))
    .map(({ key, label, run }) => ({
      label,
      kind: "Action",
      key,
      run: () => run(new KeyboardEvent("keydown", { key })),
    }))

const search = (query: string, { projectId }: Known): Entry => ({
  label: `Groups that match ${query}`,
  kind: "Query",
  to: savedPath({ query, sort: "last_seen" }, projectId),
})

const direct = (typed: string, { projectId, projects }: Known): ReadonlyArray<Entry> => {
  const eventId = typed.replaceAll("-", "")
  if (/^[0-9a-f]{32}$/.test(eventId)) {
    return [{ label: `Report ${eventId.slice(0, 8)}…`, kind: "Report", to: `reports/${eventId}` }]
  }
  const [, number] = /^#?0*(\d{1,15})$/.exec(typed) ?? []
  if (number === undefined) return []
  const label = `Group #${number}`
  const own = projects.find(({ id }) => id === projectId)
  return [
    ...(own === undefined
      ? []
      : [
          {
            label: `${label} in ${own.name}`,
            kind: "Group",
            to: `projects/${own.id}/groups/${number}`,
          } as const,
        ]),
    { label: `${label} in any project`, kind: "Group", to: `groups/${number}` },
  ]
}
