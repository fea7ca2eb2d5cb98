/** The conditions of a rule: events of groups, and one number that is counted every 30 seconds. */
import type { ComponentChildren } from "preact"
import { Choice, Part, type PartProps } from "./RuleParts.js"
import { type Draft, type EventType, type Measure, toggled } from "./ruleDraft.js"
import { capital, events } from "./ruleText.js"

export const ConditionFields = (props: PartProps) => {
  const { change, draft, form } = props
  return (
    <Part form={form} name="triggers" title="When">
      {(Object.keys(events) as ReadonlyArray<EventType>).map((type) => (
        <Choice
          key={type}
          isOn={draft.events.includes(type)}
          change={() => change({ events: toggled(draft.events, type) })}
        >
          {capital(events[type])}
        </Choice>
      ))}
      <div class="measures" role="radiogroup" aria-label="Counted every 30 seconds">
        <p class="faint">
          Also when one of these holds. Errata checks it every 30 seconds, and notifies again when it ends.
        </p>
        <Measured {...props} measure="none">
          Nothing else
        </Measured>
        <Measured {...props} measure="users">
          A group affects <Number {...props} name="users" label="Number of users" /> users or more
        </Measured>
        <Measured {...props} measure="reports">
          <select
            aria-label="Counted reports"
            value={draft.of}
            onChange={({ currentTarget }) =>
              change({ measure: "reports", of: currentTarget.value as Draft["of"] })
            }
          >
            <option value="group">A group</option>
            <option value="project">The project</option>
          </select>{" "}
          gets more than <Number {...props} name="reports" label="Number of reports" /> reports in{" "}
          <Number {...props} name="minutes" label="Number of minutes" /> minutes
        </Measured>
        <Measured {...props} measure="rate">
          A group gets <Number {...props} name="factor" label="Times the usual number" /> times its usual
          number of reports in an hour
        </Measured>
      </div>
    </Part>
  )
}

// internal

const Measured = ({
  draft,
  change,
  measure,
  children,
}: PartProps & { readonly measure: Measure; readonly children: ComponentChildren }) => (
  <div class="choice">
    <input
      id={`measure-${measure}`}
      type="radio"
      name="measure"
      checked={draft.measure === measure}
      aria-label={labels[measure]}
      onChange={() => change({ measure })}
    />
    {measure === "none" ? (
      <label for="measure-none">{children}</label>
    ) : (
      // Fields within a label would be ticked when they are clicked.
      <span class="sentence">{children}</span>
    )}
  </div>
)

const labels: Readonly<Record<Measure, string | undefined>> = {
  none: undefined,
  users: "A group affects a number of users",
  reports: "Number of reports in a time",
  rate: "Many times the usual number of reports",
}

/** A number field. Typing a number also selects its condition. */
const Number = ({
  draft,
  change,
  name,
  label,
}: PartProps & { readonly name: keyof typeof measureOf; readonly label: string }) => (
  <input
    type="text"
    class="number"
    inputMode={name === "factor" ? "decimal" : "numeric"}
    autocomplete="off"
    aria-label={label}
    value={draft[name]}
    onInput={({ currentTarget }) => change({ [name]: currentTarget.value, measure: measureOf[name] })}
  />
)

const measureOf = { users: "users", reports: "reports", minutes: "reports", factor: "rate" } as const
