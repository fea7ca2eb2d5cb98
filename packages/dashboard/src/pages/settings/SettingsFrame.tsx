/** The frame of a project's settings: a list of sections, and the open one. */
import type { ComponentChildren } from "preact"
import { useProject, useProjectRules } from "../../data/projects.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { cut, line } from "../../text/SafeText.js"
import type { SectionProps } from "./SectionProps.js"
import "../../styles/parts.css"
import "../../styles/settings.css"

export const SettingsFrame = ({
  params,
  slug,
  title = titles.get(slug) ?? "Settings",
  id = slug,
  children,
}: {
  readonly params: Readonly<Record<string, string>>
  readonly slug: string
  /** The heading. Default: the name of the section. */
  readonly title?: string
  /** Another id is another page: its heading gets the focus. */
  readonly id?: string
  readonly children: (props: SectionProps) => ComponentChildren
}) => {
  const projectId = Number(params["project"])
  const project = useProject(projectId)
  const rules = useProjectRules(projectId)
  const name = project.data === undefined ? "" : line(cut(project.data.name, 60))
  const failed = project.data === undefined ? project : rules.data === undefined ? rules : null
  const content = (props: SectionProps) => {
    const section = sections.find((section) => section.slug === slug)
    if (section === undefined) return <p class="nothing">There is no such page.</p>
    if (!props.can(section.rule)) {
      return <p class="nothing">Only admins can see this page. Ask an admin of the instance for access.</p>
    }
    return children(props)
  }
  return (
    <Page
      key={`${projectId}/${id}`}
      title={name === "" ? title : `${title} of ${name}`}
      heading={title}
      layout={(heading) => (
        <div class="settings">
          <Sections projectId={projectId} name={name} current={slug} />
          <div class="settings-body">
            {heading}
            {project.data !== undefined && rules.data !== undefined ? (
              content({ project: project.data, can: (rule) => rules.data.can.includes(rule), params })
            ) : failed?.isError === true ? (
              <Problem title="The project was not loaded." error={failed.error} />
            ) : (
              <Skeleton label="the settings" />
            )}
          </div>
        </div>
      )}
    >
      {null}
    </Page>
  )
}

// internal

interface SettingsSection {
  readonly slug: string
  readonly title: string
  readonly rule: string
}

const sections: ReadonlyArray<SettingsSection> = [
  { slug: "general", title: "General", rule: "project.read" },
  { slug: "members", title: "Members", rule: "project.inspect" },
  { slug: "alerts", title: "Alerts", rule: "alerts.read" },
  { slug: "webhooks", title: "Webhooks", rule: "webhooks.read" },
  { slug: "releases", title: "Releases", rule: "releases.read" },
  { slug: "uploads", title: "Source maps", rule: "artifacts.read" },
  { slug: "origins", title: "Allowed origins", rule: "project.inspect" },
]

const titles = new Map(sections.map(({ slug, title }) => [slug, title]))

const Sections = ({
  projectId,
  name,
  current,
}: {
  readonly projectId: number
  readonly name: string
  readonly current: string
}) => {
  const can = useProjectRules(projectId).data?.can ?? []
  return (
    <nav class="settings-nav" aria-label="Settings of the project">
      <Link to={`projects/${projectId}/groups`} class="settings-project">
        ‹ {name === "" ? "Groups" : name}
      </Link>
      {sections
        .filter(({ rule, slug }) => slug === "general" || can.includes(rule))
        .map(({ slug, title }) => (
          <Link
            key={slug}
            to={`projects/${projectId}/settings${slug === "general" ? "" : `/${slug}`}`}
            aria-current={slug === current ? "page" : undefined}
          >
            {title}
          </Link>
        ))}
    </nav>
  )
}
