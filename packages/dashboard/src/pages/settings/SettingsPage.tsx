/** The settings of a project: a list of sections, and the open one. */
import type { ComponentChildren } from "preact"
import { useProject, useProjectRules } from "../../data/projects.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { cut, line } from "../../text/SafeText.js"
import { General } from "./General.js"
import { Members } from "./Members.js"
import { Origins } from "./Origins.js"
import { Releases } from "./Releases.js"
import type { SectionProps } from "./SectionProps.js"
import { Uploads } from "./Uploads.js"
import { WebhookDeliveries } from "./WebhookDeliveries.js"
import { Webhooks } from "./Webhooks.js"
import "../../styles/parts.css"
import "../../styles/settings.css"

export const SettingsPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const projectId = Number(params["project"])
  const webhook = params["webhook"]
  const slug = webhook === undefined ? (params["section"] ?? "general") : "webhooks"
  const project = useProject(projectId)
  const rules = useProjectRules(projectId)
  const section = sections.find((section) => section.slug === slug)
  const title = webhook === undefined ? (section?.title ?? "Settings") : `Webhook ${webhook}`
  const name = project.data === undefined ? "" : line(cut(project.data.name, 60))
  const failed = project.data === undefined ? project : rules.data === undefined ? rules : null
  return (
    <Page
      // Another section is another page: its heading gets the focus.
      key={`${projectId}/${slug}/${webhook}`}
      title={name === "" ? title : `${title} of ${name}`}
      heading={title}
      layout={(heading) => (
        <div class="settings">
          <Sections projectId={projectId} name={name} current={slug} />
          <div class="settings-body">
            {heading}
            {project.data !== undefined && rules.data !== undefined ? (
              content(section, webhook, {
                project: project.data,
                can: (rule) => rules.data.can.includes(rule),
                params,
              })
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
  readonly content: (props: SectionProps) => ComponentChildren
}

const sections: ReadonlyArray<SettingsSection> = [
  { slug: "general", title: "General", rule: "project.read", content: (props) => <General {...props} /> },
  { slug: "members", title: "Members", rule: "project.inspect", content: (props) => <Members {...props} /> },
  { slug: "webhooks", title: "Webhooks", rule: "webhooks.read", content: (props) => <Webhooks {...props} /> },
  { slug: "releases", title: "Releases", rule: "releases.read", content: (props) => <Releases {...props} /> },
  {
    slug: "uploads",
    title: "Source maps",
    rule: "artifacts.read",
    content: (props) => <Uploads {...props} />,
  },
  {
    slug: "origins",
    title: "Allowed origins",
    rule: "project.inspect",
    content: (props) => <Origins {...props} />,
  },
]

const content = (section: SettingsSection | undefined, webhook: string | undefined, props: SectionProps) => {
  if (section === undefined) return <p class="nothing">There is no such page.</p>
  if (!props.can(section.rule)) {
    return <p class="nothing">Only admins can see this page. Ask an admin of the instance for access.</p>
  }
  return webhook === undefined ? section.content(props) : <WebhookDeliveries {...props} />
}

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
