/** The reader's mail about a project. */
import type { MailSettings } from "@errata/api/promise"
import { mailSettingsQuery, updateMailSettings } from "../../data/mail.js"
import { useMe } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { Field, Form, Submit, textOf, useForm } from "../../parts/Form.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cut, line } from "../../text/SafeText.js"

export const MailCard = ({ projectId }: { readonly projectId: number }) => {
  const me = useMe()
  const settings = useQuery({
    ...mailSettingsQuery(projectId),
    // A key of an app is no person.
    enabled: me?.user !== null,
  })
  if (me?.user === null) return null
  return (
    <Card title="My mail">
      <Loaded query={settings} name="mail settings" rows={2}>
        {(settings) =>
          settings.mail ? (
            <MailForm projectId={projectId} settings={settings} address={me?.user?.email_address ?? ""} />
          ) : (
            <p class="nothing">
              This instance sends no mail. An admin sets it up with <code>ERRATA_SMTP_URL</code>.
            </p>
          )
        }
      </Loaded>
    </Card>
  )
}

// internal

const labels = { mode: "Notifications", digest: "Digest" }

const modes: Readonly<Record<MailSettings["mode"], string>> = {
  everything: "All that rules send",
  new_and_reopened: "New, reopened, or assigned to me",
  assigned: "Assigned to me",
  nothing: "None",
}

const digests: Readonly<Record<MailSettings["digest"], string>> = {
  never: "Never",
  daily: "Every day at 8:00",
  weekly: "Every Monday at 8:00",
}

const MailForm = ({
  projectId,
  settings,
  address,
}: {
  readonly projectId: number
  readonly settings: MailSettings
  readonly address: string
}) => {
  const form = useForm(labels)
  const save = async (fields: FormData) => {
    const changes = {
      mode: textOf(fields, "mode") as MailSettings["mode"],
      digest: textOf(fields, "digest") as MailSettings["digest"],
    }
    if (await form.run(() => updateMailSettings(projectId, changes))) notify("Saved your mail settings.")
  }
  const choose = (name: keyof typeof labels, options: Readonly<Record<string, string>>, hint: string) => (
    <Field form={form} name={name} hint={hint}>
      {(control) => (
        <select {...control}>
          {Object.entries(options).map(([value, text]) => (
            <option key={value} value={value} selected={settings[name] === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
  return (
    <Form form={form} onSubmit={save}>
      <div class="pair">
        {choose("mode", modes, `Mail to ${line(cut(address, 100))} about this project.`)}
        {choose("digest", digests, "The errors of a day or week, in the time zone of the project.")}
      </div>
      <Submit form={form}>Save</Submit>
    </Form>
  )
}
