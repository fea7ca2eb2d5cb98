import { useAction } from "./useAction.js"

/** A setting that is on or off. A click saves it. */
export const SavedSwitch = ({
  label,
  hint,
  isOn,
  isDisabled,
  save,
  refetch,
}: {
  readonly label: string
  readonly hint: string
  readonly isOn: boolean
  readonly isDisabled: boolean
  readonly save: (isOn: boolean) => Promise<void>
  /** Reads the setting again after a change that failed. */
  readonly refetch: () => Promise<unknown>
}) => {
  const { isBusy, run } = useAction("The setting was not changed.")
  const change = async (isOn: boolean) => {
    if (!(await run(() => save(isOn)))) await refetch()
  }
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        aria-busy={isBusy}
        onChange={({ currentTarget }) => void change(currentTarget.checked)}
      />
      <span>
        {label}
        <span class="faint">{hint}</span>
      </span>
    </label>
  )
}
