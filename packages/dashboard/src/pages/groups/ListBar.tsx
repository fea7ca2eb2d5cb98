import type { Sort } from "../../data/listFilter.js"
import { useProjects } from "../../data/projects.js"
import { live } from "../../data/settings.js"
import { Link } from "../../parts/Link.js"
import { Menu } from "../../parts/Menu.js"
import { QueryField } from "../../parts/query/QueryField.js"
import { count } from "../../text/Numbers.js"
import type { Span } from "./ActivityCard.js"
import { rowsRead } from "./Download.js"
import { SavedMenu } from "./SavedQueries.js"

export const sorts: Readonly<Record<Sort, string>> = {
  last_seen: "Last seen",
  newest: "Newest",
  reports_count: "Reports",
  users_count: "Users",
}

const spanNames: Readonly<Record<Span, string>> = { "24h": "24 h", "7d": "7 d", "30d": "30 d" }

/** The controls of a list: project, query, order. All of it is in the URL. */
export const ListBar = ({
  projectId,
  query,
  sort,
  span,
  go,
  onDownload,
}: {
  readonly projectId: number | null
  readonly query: string
  readonly sort: Sort
  readonly span: Span
  readonly go: (changes: { readonly query?: string; readonly sort?: Sort; readonly span?: Span }) => void
  readonly onDownload: () => void
}) => {
  const projects = useProjects().data ?? []
  const name = projects.find(({ id }) => id === projectId)?.name
  const search = `?query=${encodeURIComponent(query)}`
  return (
    <div class="list-bar">
      <Menu
        name={`Project: ${name ?? "all projects"}`}
        label={<>{projectId === null ? "All projects" : (name ?? "…")} ▾</>}
      >
        <Link to={`groups${search}`} aria-current={projectId === null ? "true" : undefined}>
          All projects
        </Link>
        {projects.map((project) => (
          <Link
            key={project.id}
            to={`projects/${project.id}/groups${search}`}
            aria-current={project.id === projectId ? "true" : undefined}
          >
            {project.name}
          </Link>
        ))}
      </Menu>
      <QueryField query={query} projectId={projectId} onQuery={(query) => go({ query })} />
      <SavedMenu
        query={query}
        sort={sort}
        onApply={(saved) => go({ query: saved.query, sort: saved.sort as Sort })}
      />
      {projectId !== null && (
        <Menu name={`Period of the chart: ${spanNames[span]}`} label={<>{spanNames[span]} ▾</>}>
          {Object.entries(spanNames).map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-current={value === span ? "true" : undefined}
              onClick={() => go({ span: value as Span })}
            >
              {text}
            </button>
          ))}
        </Menu>
      )}
      <Menu name={`Order: ${sorts[sort]}`} label={<>{sorts[sort]} ▾</>} align="end">
        {Object.entries(sorts).map(([value, text]) => (
          <button
            key={value}
            type="button"
            aria-current={value === sort ? "true" : undefined}
            onClick={() => go({ sort: value as Sort })}
          >
            {text}
          </button>
        ))}
      </Menu>
      {projectId !== null && (
        <Link to={`projects/${projectId}/settings`} class="button">
          Settings
        </Link>
      )}
      <button
        type="button"
        aria-pressed={live.value === "on"}
        title="Check for new reports every 2 seconds in place of every 10"
        onClick={() => (live.value = live.value === "on" ? "off" : "on")}
      >
        Live <span aria-hidden="true">{live.value === "on" ? "●" : "○"}</span>
      </button>
      <DownloadButton onDownload={onDownload} />
    </div>
  )
}

// internal

const DownloadButton = ({ onDownload }: { readonly onDownload: () => void }) => (
  <button
    type="button"
    title="Download the groups of this list as CSV"
    aria-disabled={rowsRead.value !== null}
    onClick={onDownload}
  >
    {rowsRead.value === null ? "CSV" : `${count(rowsRead.value)} rows…`}
  </button>
)
