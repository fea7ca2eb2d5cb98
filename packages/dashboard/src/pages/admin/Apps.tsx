/** Apps, which group projects. */
import type { App, Project } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { type AppInput, appsQuery, createApp, deleteApp, updateApp } from "../../data/apps.js"
import { notify } from "../../data/notices.js"
import { useProjects } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { TextField, textOf } from "../../parts/Form.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"

export const Apps = () => {
  const apps = useQuery(appsQuery)
  const projects = useProjects()
  const [edited, edit] = useState<App | "new" | null>(null)
  const [leaving, setLeaving] = useState<App | null>(null)
  return (
    <>
      <p class="lead">
        An app groups projects that belong together, for example the website, the worker and the phone app of
        a shop. A project can be in one app.
      </p>
      <Card
        title="Apps"
        actions={
          <button type="button" class="primary" onClick={() => edit("new")}>
            New app
          </button>
        }
      >
        <Loaded query={apps} name="apps">
          {(all) =>
            all.length === 0 ? (
              <p class="nothing">No apps yet.</p>
            ) : (
              <ul class="rows">
                {all.map((app) => (
                  <li key={app.id}>
                    <div class="grow">
                      <b>{nameOf(app)}</b>
                      <p class="faint">{projectNames(app, projects.data ?? [])}</p>
                    </div>
                    <button type="button" aria-label={`Edit ${nameOf(app)}`} onClick={() => edit(app)}>
                      Edit
                    </button>
                    <button
                      type="button"
                      aria-label={`Delete ${nameOf(app)}`}
                      onClick={() => setLeaving(app)}
                    >
                      Delete
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {edited !== null && (
        <AppDialog
          app={edited === "new" ? null : edited}
          apps={apps.data ?? []}
          projects={projects.data ?? []}
          onClose={() => edit(null)}
        />
      )}
      {leaving !== null && (
        <Confirm
          title={`Delete ${nameOf(leaving)}?`}
          action="Delete app"
          run={() => deleteApp(leaving.id)}
          done={`Deleted the app ${nameOf(leaving)}.`}
          onClose={() => setLeaving(null)}
        >
          {() => <p>Its projects stay, without an app.</p>}
        </Confirm>
      )}
    </>
  )
}

// internal

const labels = { name: "Name", project_ids: "Projects" }

const projectNames = ({ project_ids }: App, projects: ReadonlyArray<Project>): string =>
  project_ids.length === 0
    ? "No projects"
    : project_ids
        .map((id) => {
          const project = projects.find((project) => project.id === id)
          return project === undefined ? `project ${id}` : nameOf(project)
        })
        .sort((a, b) => a.localeCompare(b))
        .join(", ")

/** Creates an app, or changes one. */
const AppDialog = ({
  app,
  apps,
  projects,
  onClose,
}: {
  readonly app: App | null
  readonly apps: ReadonlyArray<App>
  readonly projects: ReadonlyArray<Project>
  readonly onClose: () => void
}) => {
  const inputOf = (fields: FormData): AppInput => ({
    name: textOf(fields, "name"),
    project_ids: fields.getAll("project_ids").map(Number),
  })
  return (
    <Confirm
      title={app === null ? "New app" : `Edit ${nameOf(app)}`}
      action={app === null ? "Create app" : "Save"}
      labels={labels}
      isDangerous={false}
      run={async (fields) => {
        const input = inputOf(fields)
        await (app === null ? createApp(input) : updateApp(app.id, input))
        notify(`Saved the app ${nameOf(input)}.`)
      }}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextField form={form} name="name" value={app?.name ?? ""} maxLength={200} />
          <ProjectChoices
            app={app}
            apps={apps}
            projects={projects}
            problem={form.problems.fields["project_ids"]}
          />
        </>
      )}
    </Confirm>
  )
}

const ProjectChoices = ({
  app,
  apps,
  projects,
  problem,
}: {
  readonly app: App | null
  readonly apps: ReadonlyArray<App>
  readonly projects: ReadonlyArray<Project>
  readonly problem: string | undefined
}) => {
  const holderOf = (projectId: number) =>
    apps.find(({ id, project_ids }) => id !== app?.id && project_ids.includes(projectId))
  return (
    <fieldset class="choices" aria-describedby="projects-problem">
      <legend>{labels.project_ids}</legend>
      {projects.length === 0 && <p class="faint">There are no projects yet.</p>}
      <div>
        {[...projects]
          .sort((a, b) => a.name.localeCompare(b.name))
          .map((project) => {
            const holder = holderOf(project.id)
            return (
              <label key={project.id} class="choice">
                <input
                  type="checkbox"
                  name="project_ids"
                  value={project.id}
                  defaultChecked={app?.project_ids.includes(project.id) ?? false}
                  disabled={holder !== undefined}
                />
                <span>
                  {nameOf(project)}
                  {holder !== undefined && <span class="faint">In {nameOf(holder)}</span>}
                </span>
              </label>
            )
          })}
      </div>
      <p id="projects-problem" class="field-problem" role="alert">
        {problem}
      </p>
    </fieldset>
  )
}
