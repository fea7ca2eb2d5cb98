/** The severities that notify, and the mute of a project. */

import type { Project } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { notify } from "../../data/notices.js"
import {
  muteProject,
  notificationSettingsQuery,
  setErrorsOnly,
  unmuteProject,
} from "../../data/projectSettings.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { textOf } from "../../parts/Form.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { SavedSwitch } from "../../parts/SavedSwitch.js"
import { Time } from "../../parts/Time.js"
import { useAction } from "../../parts/useAction.js"

export const Notifications = (props: { readonly project: Project; readonly isAdmin: boolean }) => (
  <Card title="Notifications">
    <div class="card-body">
      <ErrorsOnly {...props} />
      <Mute {...props} />
    </div>
  </Card>
)

// internal

interface Props {
  readonly project: Project
  readonly isAdmin: boolean
}

const ErrorsOnly = ({ project, isAdmin }: Props) => {
  const settings = useQuery(notificationSettingsQuery(project.id))
  const save = async (errorsOnly: boolean) => {
    await setErrorsOnly(project.id, errorsOnly)
    notify(errorsOnly ? "Only error and fatal notify now." : "Groups of all severities notify now.")
  }
  return (
    <Loaded query={settings} name="notification settings" rows={1}>
      {({ error_and_fatal_notifications_only: isOn }) => (
        <SavedSwitch
          label="Notify only about groups of severity error and fatal"
          hint="Otherwise alert rules and webhooks apply to groups of every severity."
          isOn={isOn}
          isDisabled={!isAdmin}
          save={save}
          refetch={settings.refetch}
        />
      )}
    </Loaded>
  )
}

const Mute = ({ project, isAdmin }: Props) => {
  const [isAsking, setAsking] = useState(false)
  const { run } = useAction("The project was not unmuted.")
  const unmute = () =>
    run(async () => {
      await unmuteProject(project.id)
      notify("New groups are no longer muted. Groups that are muted stay muted.")
    })
  return (
    <div class="setting">
      <p>
        {!project.muted ? (
          "The project is not muted."
        ) : project.muted_until === null ? (
          "The project is muted without an end."
        ) : (
          <>
            The project is muted until <Time value={project.muted_until} isAbsolute />.
          </>
        )}
      </p>
      {isAdmin && (
        <button type="button" onClick={project.muted ? unmute : () => setAsking(true)}>
          {project.muted ? "Unmute project" : "Mute project…"}
        </button>
      )}
      {isAsking && <MuteDialog project={project} onClose={() => setAsking(false)} />}
    </div>
  )
}

const spans: ReadonlyArray<readonly [hours: number, text: string]> = [
  [1, "1 hour"],
  [4, "4 hours"],
  [24, "1 day"],
  [72, "3 days"],
  [168, "7 days"],
]

const MuteDialog = ({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) => (
  <Confirm
    title={`Mute ${project.name}?`}
    action="Mute project"
    isDangerous={false}
    run={(fields) => {
      const hours = Number(textOf(fields, "hours"))
      return muteProject(
        project.id,
        hours === 0 ? null : new Date(Date.now() + hours * 3_600_000).toISOString(),
      )
    }}
    onClose={(isDone) => {
      onClose()
      if (isDone) notify("Muted the project.")
    }}
  >
    {() => (
      <>
        <p>
          This mutes all groups of the project, and new ones. If you unmute the project before the end, the
          groups that are muted stay muted.
        </p>
        <label class="field">
          Mute for
          <select name="hours">
            {spans.map(([hours, text]) => (
              <option key={hours} value={hours}>
                {text}
              </option>
            ))}
            <option value="0">Until someone unmutes it</option>
          </select>
        </label>
      </>
    )}
  </Confirm>
)
