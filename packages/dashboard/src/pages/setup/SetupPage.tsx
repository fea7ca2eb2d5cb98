import type { Project } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { useMe } from "../../data/me.js"
import { sendTestEvent, useProject } from "../../data/projects.js"
import { href, rootUrl } from "../../data/root.js"
import { CopyButton } from "../../parts/CopyButton.js"
import { Link } from "../../parts/Link.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { useAction } from "../../parts/useAction.js"
import { platforms } from "../projects/Platforms.js"
import { dsnOf } from "./Dsn.js"
import { snippetsFor } from "./Snippets.js"
import { Waiting } from "./Waiting.js"
import "../../styles/projects.css"
import "../../styles/setup.css"

/** Connects the first application, and waits for its first report. */
export const SetupPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const projectId = Number(params["project"])
  const project = useProject(projectId)
  if (project.data === undefined) {
    return (
      <Page title="Set up" isNarrow>
        {project.isError ? (
          <Problem title="The project was not loaded." error={project.error} />
        ) : (
          <Skeleton label="the project" />
        )}
      </Page>
    )
  }
  return <Steps project={project.data} />
}

// internal

const Steps = ({ project }: { readonly project: Project }) => {
  const { query } = useLocation()
  const baseUrl = useMe()?.instance.base_url ?? rootUrl.href
  const known = project.platform in platforms ? project.platform : "other"
  const platform = query["platform"] ?? known
  const dsn = dsnOf(baseUrl, project)
  const snippets = snippetsFor(platform, dsn)
  return (
    <Page title={`Set up ${project.name}`} isNarrow>
      <nav class="platforms" aria-label="Platform">
        {Object.entries(platforms).map(([value, name]) => (
          <Link
            key={value}
            to={`projects/${project.id}/setup?platform=${value}`}
            aria-current={value === platform ? "true" : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <ol class="steps">
        {snippets.map(({ code, file, title }, index) => (
          <li key={title}>
            <h2>{title}</h2>
            {file !== null && <p class="faint">{file}</p>}
            <div class="code">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is too wide. */}
              <section tabIndex={0} aria-label={title}>
                <pre>
                  <code>{code}</code>
                </pre>
              </section>
              <CopyButton text={code} label={`Copy: ${title}`} />
            </div>
            {index === snippets.length - 1 && <SendOne projectId={project.id} />}
          </li>
        ))}
      </ol>
      <Waiting projectId={project.id} />
    </Page>
  )
}

const SendOne = ({ projectId }: { readonly projectId: number }) => {
  const { route } = useLocation()
  const { isBusy, run } = useAction("The example was not sent.")
  const send = () =>
    run(async () => {
      const { event_id } = await sendTestEvent(projectId)
      route(href(`projects/${projectId}/reports/${event_id}`))
    })
  return (
    <button type="button" aria-disabled={isBusy} onClick={send}>
      {isBusy ? "Sending…" : "Send one for me"}
    </button>
  )
}
