/** The fields of policies: switches, and whole numbers with a unit. */
import type { ComponentChildren } from "preact"
import { Field, type FormState } from "../../parts/Form.js"

export const SwitchField = ({
  name,
  label,
  hint,
  isOn,
}: {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isOn: boolean
}) => (
  <label class="choice">
    <input type="checkbox" name={name} defaultChecked={isOn} />
    <span>
      {label}
      {hint !== undefined && <span class="faint">{hint}</span>}
    </span>
  </label>
)

/** The server checks the range. Its message is shown below the field. */
export const NumberField = ({
  form,
  name,
  unit,
  hint,
  value,
}: {
  readonly form: FormState
  readonly name: string
  /** A word, or the field that chooses one. */
  readonly unit: ComponentChildren
  readonly hint?: string
  readonly value: number
}) => (
  <Field form={form} name={name} hint={hint}>
    {(control) => (
      <span class="with-unit">
        <input
          {...control}
          type="text"
          inputMode="numeric"
          autocomplete="off"
          defaultValue={String(value)}
          aria-describedby={`${control["aria-describedby"]} ${control.id}-unit`}
        />
        <span id={`${control.id}-unit`}>{unit}</span>
      </span>
    )}
  </Field>
)

export const Group = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <fieldset class="policy-group">
    <legend>{title}</legend>
    {children}
  </fieldset>
)
