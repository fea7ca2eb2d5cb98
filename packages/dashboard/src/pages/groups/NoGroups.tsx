import { useProjects } from "../../data/projects.js"
import { Link } from "../../parts/Link.js"
import { quoted, tokensOf, without } from "../../parts/query/QueryText.js"

/** Replaces an empty list, with the reason and a suggestion. */
export const NoGroups = ({
  projectId,
  query,
  onQuery,
}: {
  readonly projectId: number | null
  readonly query: string
  readonly onQuery: (query: string) => void
}) => {
  if (query === "is:unresolved" || query === "")
    return <NothingOpen projectId={projectId} query={query} onQuery={onQuery} />
  return (
    <div class="empty card">
      <h2>No group matches</h2>
      <p>Remove a part of the query:</p>
      <div class="parts">
        {tokensOf(query).map((token) => (
          <button key={token.start} type="button" onClick={() => onQuery(without(query, token))}>
            <code>{query.slice(token.start, token.end)}</code>
            <span aria-hidden="true">✕</span>
            <span class="visually-hidden">remove</span>
          </button>
        ))}
      </div>
    </div>
  )
}

/** Lists the tokens of a query that look like filters but were searched for as text. */
export const Hints = ({
  hints,
  query,
  onQuery,
}: {
  readonly hints: ReadonlyArray<{ readonly token: string; readonly did_you_mean: string | null }>
  readonly query: string
  readonly onQuery: (query: string) => void
}) => (
  <>
    {hints.map(({ did_you_mean: meant, token }) => (
      <p key={token} class="hint" role="status">
        <code>{token}</code> is searched for as text.{" "}
        {meant !== null && (
          <button type="button" onClick={() => onQuery(query.replace(token, meant))}>
            Use <code>{meant}</code>
          </button>
        )}{" "}
        {meant === null && <span>Write {quoted(token)} to search for it as one phrase.</span>}
      </p>
    ))}
  </>
)

// internal

const NothingOpen = ({
  projectId,
  query,
  onQuery,
}: {
  readonly projectId: number | null
  readonly query: string
  readonly onQuery: (query: string) => void
}) => {
  const { data, error } = useProjects()
  if (data === undefined && error === null) return null
  const projects = data?.filter(({ id }) => projectId === null || id === projectId)
  if (projects?.every(({ reports_count }) => reports_count === 0)) {
    const only = projects.length === 1 ? projects[0] : undefined
    return (
      <div class="empty card">
        <h2>No report yet</h2>
        <p>Connect an application, and its errors appear here.</p>
        <Link to={only === undefined ? "projects" : `projects/${only.id}/setup`} class="button primary">
          {only === undefined ? "Choose a project" : `Set up ${only.name}`}
        </Link>
      </div>
    )
  }
  return (
    <div class="empty card">
      <h2>{query === "" ? "No groups" : "Nothing is open"}</h2>
      <p>{query === "" ? "Groups appear here with the first report." : "All groups are resolved."}</p>
      {query !== "" && (
        <button type="button" onClick={() => onQuery("is:resolved")}>
          Show resolved groups
        </button>
      )}
    </div>
  )
}
