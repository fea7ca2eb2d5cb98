import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { appsQuery } from "../../data/apps.js"
import { useCan } from "../../data/me.js"
import { useProjects } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { useKeys } from "../../keys/Keys.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Stale } from "../../parts/Stale.js"
import { type AppSection, sectionsOf } from "./AppSections.js"
import { ProjectCard } from "./ProjectCard.js"
import "../../styles/projects.css"

export const ProjectsPage = () => {
  const { route } = useLocation()
  const projects = useProjects()
  const apps = useQuery(appsQuery)
  const canCreate = useCan("projects.create")
  const [filter, setFilter] = useState("")
  useKeys("Projects", [
    { key: "/", label: "Filter", run: () => document.getElementById("filter")?.focus() },
    { key: "j", label: "Next project", run: () => moveFocus(1) },
    { key: "k", label: "Previous project", run: () => moveFocus(-1) },
  ])
  // The cards would move if the apps came later.
  if (projects.data === undefined || apps.isPending) {
    return (
      <Page title="Projects" isHeadingHidden>
        {projects.isError ? (
          <Problem title="The projects were not loaded." error={projects.error} />
        ) : (
          <Skeleton label="projects" />
        )}
      </Page>
    )
  }
  if (projects.data.length === 0) return <NoProjects canCreate={canCreate} />
  const sections = sectionsOf(projects.data, apps.data ?? [], filter)
  const shown = sections.flatMap((section) => section.projects)
  return (
    <Page title="Projects" isHeadingHidden>
      <form
        class="projects-bar"
        onSubmit={(event) => {
          event.preventDefault()
          if (shown[0] !== undefined) route(href(`projects/${shown[0].id}/groups`))
        }}
      >
        <Filter text={filter} setText={setFilter} />
        <Link to="groups" class="button">
          All groups
        </Link>
        {canCreate && (
          <Link to="projects/new" class="button primary">
            New project
          </Link>
        )}
      </form>
      <Stale query={projects} />
      <p class="visually-hidden" role="status">
        {filter === "" ? "" : `${shown.length} of ${projects.data.length} projects`}
      </p>
      {sections.map((section) => (
        <Section key={section.name} section={section} />
      ))}
      {shown.length === 0 && (
        <p class="faint">
          No project matches “{filter}”.{" "}
          <button type="button" onClick={() => setFilter("")}>
            Show all
          </button>
        </p>
      )}
    </Page>
  )
}

// internal

const Section = ({ section: { name, projects } }: { readonly section: AppSection }) => (
  <section class="app">
    {name !== null && <h2>{name}</h2>}
    <ul class="projects">
      {projects.map((project) => (
        <ProjectCard key={project.id} project={project} />
      ))}
    </ul>
  </section>
)

const Filter = ({ text, setText }: { readonly text: string; readonly setText: (text: string) => void }) => (
  <div class="filter">
    <span aria-hidden="true">⌕</span>
    <input
      id="filter"
      type="text"
      aria-label="Filter projects. Enter opens the first"
      placeholder="Filter projects"
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return
        setText("")
        event.currentTarget.blur()
      }}
    />
    <kbd>/</kbd>
  </div>
)

const NoProjects = ({ canCreate }: { readonly canCreate: boolean }) => (
  <Page title="Projects" isHeadingHidden>
    <div class="card empty">
      <h2>No projects yet</h2>
      {canCreate ? (
        <>
          <p>A project receives the errors of one application.</p>
          <Link to="projects/new" class="button primary">
            New project
          </Link>
        </>
      ) : (
        <p>You are a member of no project. Ask an admin to add you to one.</p>
      )}
    </div>
  </Page>
)

const moveFocus = (by: number): void => {
  const links = Array.from(document.querySelectorAll<HTMLElement>(".projects .name"))
  const at = links.indexOf(document.activeElement as HTMLElement)
  links[
    at === -1 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by))
  ]?.focus()
}
