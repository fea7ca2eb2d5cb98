/** The DSN, which SDKs need. */

import type { Project } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useMe } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { rotateToken } from "../../data/projectSettings.js"
import { rootUrl } from "../../data/root.js"
import { Confirm } from "../../parts/Confirm.js"
import { CopyButton } from "../../parts/CopyButton.js"
import { Link } from "../../parts/Link.js"
import { Card } from "../../parts/Loaded.js"
import { Time } from "../../parts/Time.js"
import { dsnOf } from "../setup/Dsn.js"

export const DsnCard = ({ project, isAdmin }: { readonly project: Project; readonly isAdmin: boolean }) => {
  const baseUrl = useMe()?.instance.base_url ?? rootUrl.href
  const [isRotating, setRotating] = useState(false)
  const contact = project.last_contact_at ?? null
  return (
    <Card title="DSN">
      <div class="card-body">
        <Copyable label="DSN" text={dsnOf(baseUrl, project)} />
        <Copyable label="Token" text={project.token} />
        <p class="faint">
          {contact === null ? (
            "No application has called with this token yet."
          ) : (
            <>
              An application last called <Time value={contact} />.
            </>
          )}
        </p>
        <div class="actions">
          <Link to={`projects/${project.id}/setup`} class="button">
            Set up an application
          </Link>
          {isAdmin && (
            <button type="button" class="danger" onClick={() => setRotating(true)}>
              Replace the token…
            </button>
          )}
        </div>
      </div>
      {isRotating && (
        <Confirm
          title="Replace the token?"
          action="Replace the token"
          run={() => rotateToken(project.id)}
          onClose={(isDone) => {
            setRotating(false)
            if (isDone) notify("Replaced the token. Configure your applications with the new DSN.")
          }}
        >
          {() => (
            <p>
              The current DSN stops working at once. Applications that still use it lose their reports until
              you configure the new DSN. This cannot be undone.
            </p>
          )}
        </Confirm>
      )}
    </Card>
  )
}

/** A value to be copied, with its name. */
export const Copyable = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div class="copyable">
    <b>{label}</b>
    <code>{text}</code>
    <CopyButton text={text} label={`Copy: ${label}`} />
  </div>
)
