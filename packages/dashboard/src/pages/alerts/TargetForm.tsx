/** The form of a target, made from the fields of its kind. Secrets are never shown. */
import type { NotificationKind, QuietHours, Target, TargetCreation, TargetField } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { Field, Form, type FormState, Submit, TextField, textOf, useForm } from "../../parts/Form.js"
import { cut, line } from "../../text/SafeText.js"
import { SwitchField } from "../admin/PolicyFields.js"

export const TargetForm = ({
  kind,
  target,
  timezone,
  action,
  save,
}: {
  readonly kind: NotificationKind
  /** Null for a new one. */
  readonly target: Target | null
  /** The project's time zone, for new quiet hours. */
  readonly timezone: string
  readonly action: string
  readonly save: (fields: Omit<TargetCreation, "kind">) => Promise<void>
}) => {
  const form = useForm({
    name: "Name",
    quiet_hours: "Quiet hours",
    ...Object.fromEntries(kind.fields.map((field) => [`address.${field.name}`, field.label])),
  })
  const [saves, setSaves] = useState(0)
  const submit = async (fields: FormData) => {
    const isSaved = await form.run(() =>
      save({
        name: textOf(fields, "name"),
        enabled: fields.has("enabled"),
        address: addressOf(kind, target, fields),
        quiet_hours: quietHoursOf(fields),
      }),
    )
    // Secrets that were typed leave the page.
    if (isSaved) setSaves(saves + 1)
  }
  return (
    <Form form={form} onSubmit={submit}>
      <TextField
        form={form}
        name="name"
        value={target?.name ?? ""}
        maxLength={100}
        placeholder={`${kind.label} of the team`}
      />
      {kind.fields.map((field) =>
        field.secret ? (
          <Secret key={`${field.name}/${saves}`} form={form} field={field} isStored={target !== null} />
        ) : (
          <TextField
            key={field.name}
            form={form}
            name={`address.${field.name}`}
            label={labelOf(field)}
            hint={line(cut(field.description, 300))}
            value={target?.address[field.name] ?? ""}
            maxLength={4_000}
            placeholder={field.placeholder}
          />
        ),
      )}
      <Quiet form={form} hours={target?.quiet_hours ?? null} timezone={timezone} />
      <SwitchField
        name="enabled"
        label="Enabled"
        hint="A disabled target receives tests only."
        isOn={target?.enabled ?? true}
      />
      <Submit form={form}>{action}</Submit>
    </Form>
  )
}

// internal

const labelOf = ({ label, required }: TargetField): string =>
  required ? line(cut(label, 60)) : `${line(cut(label, 60))} (optional)`

const Secret = ({
  form,
  field,
  isStored,
}: {
  readonly form: FormState
  readonly field: TargetField
  readonly isStored: boolean
}) => (
  <>
    <Field
      form={form}
      name={`address.${field.name}`}
      label={labelOf(field)}
      hint={line(cut(field.description, 300))}
    >
      {(control) => (
        <input
          {...control}
          type="password"
          maxLength={4_000}
          placeholder={isStored ? "Stored. Enter a new value to replace it." : field.placeholder}
          // Otherwise browsers offer stored passwords.
          autocomplete="new-password"
          spellcheck={false}
        />
      )}
    </Field>
    {isStored && !field.required && (
      <SwitchField
        name={`clear.${field.name}`}
        label={`Remove the stored value of ${line(cut(field.label, 60))}`}
        isOn={false}
      />
    )}
  </>
)

const Quiet = ({
  form,
  hours,
  timezone,
}: {
  readonly form: FormState
  readonly hours: QuietHours | null
  readonly timezone: string
}) => {
  const [isOn, setOn] = useState(hours !== null)
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          name="quiet"
          checked={isOn}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
        <span>
          Quiet hours
          <span class="faint">Notifications of these hours come as one summary at their end.</span>
        </span>
      </label>
      {isOn && (
        <Field form={form} name="quiet_hours" label="From">
          {(control) => (
            <span class="with-unit quiet">
              <input {...control} name="from" type="time" required defaultValue={hours?.from ?? "22:00"} />
              to
              <input name="to" type="time" aria-label="To" required defaultValue={hours?.to ?? "07:00"} />
              in
              <input
                name="timezone"
                type="text"
                aria-label="Time zone"
                list="time-zones"
                defaultValue={hours?.timezone ?? timezone}
                autocomplete="off"
                spellcheck={false}
              />
              <datalist id="time-zones">
                {Intl.supportedValuesOf("timeZone").map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </span>
          )}
        </Field>
      )}
    </>
  )
}

const quietHoursOf = (fields: FormData): QuietHours | null =>
  fields.has("quiet")
    ? { from: textOf(fields, "from"), to: textOf(fields, "to"), timezone: textOf(fields, "timezone") }
    : null

/** Secrets without a new value are omitted, so that they stay unchanged. */
const addressOf = (kind: NotificationKind, target: Target | null, fields: FormData): Record<string, string> =>
  Object.fromEntries(
    kind.fields.flatMap(({ name, secret }) => {
      const value = textOf(fields, `address.${name}`)
      if (fields.has(`clear.${name}`)) return [[name, ""]]
      return value === "" && (secret || target === null) ? [] : [[name, value]]
    }),
  )
