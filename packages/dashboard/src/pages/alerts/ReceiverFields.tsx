import { useQuery } from "../../data/query.js"
import { kindsQuery, targetsQuery } from "../../data/targets.js"
import { nameOf } from "../../text/Names.js"
import { Choice, Part, type PartProps } from "./RuleParts.js"
import { type Draft, toggled } from "./ruleDraft.js"

export const ReceiverFields = ({ form, draft, change, projectId }: PartProps) => {
  const { data: kinds } = useQuery(kindsQuery)
  const { data: targets = [] } = useQuery({
    ...targetsQuery(projectId ?? 0),
    enabled: projectId !== null,
  })
  const choice = (value: Draft["targets"], text: string, hint?: string) => (
    <Choice
      group="targets"
      isOn={draft.targets === value}
      change={() => change({ targets: value })}
      {...(hint === undefined ? {} : { hint })}
    >
      {text}
    </Choice>
  )
  return (
    <Part form={form} name="receivers.targets" title="Then notify">
      <Choice
        isOn={draft.members}
        change={(members) => change({ members })}
        hint={
          kinds?.mail === false
            ? "This instance sends no mail yet. Members get mail when an admin sets it up."
            : "Members choose in their own settings what they get."
        }
      >
        Members of the project by mail
      </Choice>
      <div role="radiogroup" aria-label="Targets">
        {choice("all", "All targets", "Also those that are added later.")}
        {projectId !== null && targets.length > 0 && choice("some", "Chosen targets")}
        {draft.targets === "some" && (
          <fieldset class="field chosen" aria-label="Chosen targets">
            {targets.map((target) => (
              <Choice
                key={target.id}
                isOn={draft.chosen.includes(target.id)}
                change={() => change({ chosen: toggled(draft.chosen, target.id) })}
              >
                {nameOf(target)}
              </Choice>
            ))}
          </fieldset>
        )}
        {choice("none", "No targets")}
      </div>
    </Part>
  )
}
