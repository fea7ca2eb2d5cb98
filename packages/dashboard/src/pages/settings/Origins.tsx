/** The origins that Errata may fetch source maps from. Only admins see and change them. */
import type { HostedSourcemapOrigin } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { addOrigin, originsQuery, removeOrigin } from "../../data/sourcemapOrigins.js"
import { Confirm } from "../../parts/Confirm.js"
import { Form, Submit, TextField, textOf, useForm } from "../../parts/Form.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { Time } from "../../parts/Time.js"
import type { SectionProps } from "./SectionProps.js"

const maxOrigins = 10

export const Origins = ({ project, can }: SectionProps) => {
  const origins = useQuery(originsQuery(project.id))
  const isAdmin = can("project.administer")
  const [leaving, setLeaving] = useState<HostedSourcemapOrigin | null>(null)
  return (
    <>
      <p class="lead">
        If your server publishes source maps next to its scripts, Errata can fetch them. It fetches only from
        the origins below, at most {maxOrigins}. Admins can disable fetching for the whole instance.
      </p>
      {isAdmin && <AddOrigin projectId={project.id} />}
      <Card title="Origins">
        <Loaded query={origins} name="origins">
          {(all) =>
            all.length === 0 ? (
              <p class="nothing">No origin is allowed. Errata uses uploaded source maps only.</p>
            ) : (
              <ul class="rows">
                {all.map((origin) => (
                  <li key={origin.id}>
                    <div class="grow">
                      <code>{origin.origin}</code>
                      <p class="faint">
                        Added <Time value={origin.created_at} />
                      </p>
                    </div>
                    {isAdmin && (
                      <button
                        type="button"
                        aria-label={`Remove ${origin.origin}`}
                        onClick={() => setLeaving(origin)}
                      >
                        Remove
                      </button>
                    )}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {leaving !== null && (
        <Confirm
          title={`Remove ${leaving.origin}?`}
          action="Remove origin"
          run={() => removeOrigin(project.id, leaving.id)}
          done={`Removed ${leaving.origin}.`}
          onClose={() => setLeaving(null)}
        >
          {() => (
            <p>
              Errata deletes the source maps that it fetched from this origin. Reports that are mapped stay
              mapped.
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}

// internal

const labels = { origin: "Origin" }

const AddOrigin = ({ projectId }: { readonly projectId: number }) => {
  const form = useForm(labels)
  const add = async (fields: FormData, element: HTMLFormElement) => {
    const origin = textOf(fields, "origin")
    if (!(await form.run(() => addOrigin(projectId, origin)))) return
    notify(`Added ${origin}.`)
    element.reset()
  }
  return (
    <Card title="Allow an origin">
      <Form form={form} onSubmit={add}>
        <TextField
          form={form}
          name="origin"
          inputMode="url"
          placeholder="https://cdn.example.com"
          hint="A public HTTPS origin without a path."
        />
        <Submit form={form}>Allow origin</Submit>
      </Form>
    </Card>
  )
}
