/** Forms with problems next to their fields. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { type FormProblems, formProblems, noProblems } from "../data/fieldProblems.js"

export interface FormState {
  /** The visible names of the fields by their names in the API. */
  readonly labels: Readonly<Record<string, string>>
  readonly problems: FormProblems
  readonly isBusy: boolean
  /** Runs a change. Returns false and stores the problems if the server rejects it. */
  readonly run: (change: () => Promise<void>) => Promise<boolean>
}

/** The state of a form, and the visible names of its fields by their names in the API. */
export const useForm = (labels: FormState["labels"] = {}): FormState => {
  const [problems, setProblems] = useState(noProblems)
  const [isBusy, setBusy] = useState(false)
  const run = async (change: () => Promise<void>) => {
    if (isBusy) return false
    setBusy(true)
    try {
      await change()
      setProblems(noProblems)
      return true
    } catch (error) {
      setProblems(formProblems(error, labels))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { labels, problems, isBusy, run }
}

/** Moves the focus to the first problem after a submission that failed. */
export const Form = ({
  form: { problems },
  onSubmit,
  children,
}: {
  readonly form: FormState
  readonly onSubmit: (fields: FormData, element: HTMLFormElement) => void
  readonly children: ComponentChildren
}) => {
  const ref = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problems !== noProblems)
      ref.current?.querySelector<HTMLElement>('[aria-invalid="true"], .form-problem')?.focus()
  }, [problems])
  return (
    <form
      ref={ref}
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(new FormData(event.currentTarget), event.currentTarget)
      }}
    >
      {children}
      {problems.form !== null && (
        <p class="field-problem form-problem" role="alert" tabIndex={-1}>
          {problems.form}
        </p>
      )}
    </form>
  )
}

/** The attributes that connect a control to its label, hint and problem. */
export interface Control {
  readonly id: string
  readonly name: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string
}

/** A label, a control, a hint and the field's problem. */
export const Field = ({
  form,
  name,
  label = form.labels[name],
  hint,
  children,
}: {
  readonly form: FormState
  readonly name: string
  /** The label of the form by default. */
  readonly label?: string | undefined
  readonly hint?: ComponentChildren
  readonly children: (control: Control) => ComponentChildren
}) => {
  const id = useId()
  const problem = form.problems.fields[name]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        "aria-invalid": problem !== undefined,
        "aria-describedby": `${id}-hint ${id}-problem`,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="faint">
          {hint}
        </p>
      )}
      <p id={`${id}-problem`} class="field-problem" role="alert">
        {problem}
      </p>
    </div>
  )
}

/** A one-line text. Its value is read when the form is submitted. */
export const TextField = ({
  form,
  name,
  label,
  hint,
  value = "",
  ...input
}: Omit<Parameters<typeof Field>[0], "children"> & {
  readonly value?: string
} & Pick<JSX.IntrinsicElements["input"], "inputMode" | "maxLength" | "placeholder">) => (
  <Field form={form} name={name} label={label} hint={hint}>
    {(control) => (
      <input {...control} {...input} type="text" defaultValue={value} autocomplete="off" spellcheck={false} />
    )}
  </Field>
)

/** Stays focusable while the form is sent, so that the focus is not lost. */
export const Submit = ({
  form,
  children,
}: {
  readonly form: FormState
  readonly children: ComponentChildren
}) => (
  <button type="submit" class="primary" aria-disabled={form.isBusy}>
    {children}
  </button>
)

/** Returns the text of a field. */
export const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name)
  return typeof value === "string" ? value.trim() : ""
}
