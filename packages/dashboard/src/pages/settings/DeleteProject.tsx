/** Deletes a project, after its name was typed. */

import type { Project } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { rejected } from "../../data/fieldProblems.js"
import { notify } from "../../data/notices.js"
import { deleteProject } from "../../data/projectSettings.js"
import { href } from "../../data/root.js"
import { Confirm } from "../../parts/Confirm.js"
import { TextField, textOf } from "../../parts/Form.js"
import { Card } from "../../parts/Loaded.js"
import { count, counted } from "../../text/Numbers.js"

export const DeleteProject = ({ project }: { readonly project: Project }) => {
  const { route } = useLocation()
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title="Delete">
      <div class="card-body setting">
        <p>
          Deletes the project with its {counted(project.groups_count, "group")} and{" "}
          {count(project.reports_count)} reports, its webhooks, releases and uploads.
        </p>
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          Delete project…
        </button>
      </div>
      {isAsking && (
        <Confirm
          title={`Delete ${project.name}?`}
          action="Delete project"
          labels={labels}
          run={async (fields) => {
            if (textOf(fields, "name") !== project.name.trim()) throw rejected("name", "does not match")
            await deleteProject(project.id)
          }}
          onClose={(isDone) => {
            setAsking(false)
            if (!isDone) return
            notify(`Deleted the project ${project.name}.`)
            route(href("projects"))
          }}
        >
          {(form) => (
            <>
              <p>
                All its data are deleted. Applications that use its DSN are rejected. This cannot be undone.
              </p>
              <TextField
                form={form}
                name="name"
                hint={
                  <>
                    To confirm, enter <b>{project.name}</b>.
                  </>
                }
              />
            </>
          )}
        </Confirm>
      )}
    </Card>
  )
}

// internal

const labels = { name: "Name of the project" }
