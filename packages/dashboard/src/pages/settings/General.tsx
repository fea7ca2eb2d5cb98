/** Name, DSN and common settings of a project. */

import type { Project } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { notify } from "../../data/notices.js"
import { updateProject } from "../../data/projectSettings.js"
import { Field, Form, Submit, TextField, textOf, useForm } from "../../parts/Form.js"
import { Card } from "../../parts/Loaded.js"
import { Pairs } from "../../parts/Value.js"
import { platformName, platforms } from "../projects/Platforms.js"
import { DeleteProject } from "./DeleteProject.js"
import { DsnCard } from "./DsnCard.js"
import { Notifications } from "./Notifications.js"
import type { SectionProps } from "./SectionProps.js"

export const General = ({ project, can }: SectionProps) => {
  const isAdmin = can("project.administer")
  return (
    <>
      <Card title="Project">
        {isAdmin ? (
          <ProjectForm key={project.id} project={project} />
        ) : (
          <Pairs
            pairs={[
              ["Name", project.name],
              ["Platform", platformName(project.platform)],
              ["Time zone", project.timezone],
            ]}
          />
        )}
      </Card>
      <DsnCard project={project} isAdmin={isAdmin} />
      {can("project.inspect") && <Notifications project={project} isAdmin={isAdmin} />}
      {isAdmin && <DeleteProject project={project} />}
    </>
  )
}

// internal

const labels = { name: "Name", platform: "Platform", timezone: "Time zone" }

const ProjectForm = ({ project }: { readonly project: Project }) => {
  const form = useForm(labels)
  const [platform, setPlatform] = useState(project.platform)
  const save = async (fields: FormData) => {
    const changes = {
      name: textOf(fields, "name"),
      platform: textOf(fields, "platform"),
      timezone: textOf(fields, "timezone"),
    }
    if (await form.run(() => updateProject(project.id, changes))) notify("Saved the project.")
  }
  const choices = platform in platforms ? platforms : { [platform]: platform, ...platforms }
  return (
    <Form form={form} onSubmit={save}>
      <TextField form={form} name="name" value={project.name} maxLength={200} />
      <Field form={form} name="platform">
        {(control) => (
          <select
            {...control}
            value={platform}
            onChange={({ currentTarget }) => setPlatform(currentTarget.value)}
          >
            {Object.entries(choices).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field form={form} name="timezone" hint="The name of an IANA time zone, for example Europe/Vienna.">
        {(control) => (
          <input
            {...control}
            type="text"
            list="time-zones"
            defaultValue={project.timezone}
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Submit form={form}>Save</Submit>
    </Form>
  )
}
