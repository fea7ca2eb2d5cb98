/** Mutes groups: for a while, for a number of reports, or without end. */
import type { ComponentChildren } from "preact"
import type { GroupRef } from "../data/groups.js"
import { type Mute, setMute } from "../data/triage.js"
import { Menu } from "./Menu.js"

export const MuteMenu = ({
  groups,
  isMuted,
  label,
  id,
}: {
  readonly groups: ReadonlyArray<GroupRef>
  /** Whether the menu offers to unmute. */
  readonly isMuted: boolean
  readonly label: ComponentChildren
  readonly id?: string
}) => (
  <Menu label={label} {...(id === undefined ? {} : { id })}>
    {isMuted && (
      <button type="button" onClick={() => setMute(groups, null)}>
        Unmute
      </button>
    )}
    {choices.map(([text, mute]) => (
      <button key={text} type="button" onClick={() => setMute(groups, mute())}>
        {text}
      </button>
    ))}
  </Menu>
)

// internal

const hour = 3_600_000

const until = (hours: number) => (): Mute => ({
  snooze_until: new Date(Date.now() + hours * hour).toISOString(),
})

const choices: ReadonlyArray<readonly [string, () => Mute]> = [
  ["For 1 hour", until(1)],
  ["For 4 hours", until(4)],
  ["For 1 day", until(24)],
  ["For 3 days", until(72)],
  ["Until 10 more reports", () => ({ occurrences: 10 })],
  ["Until 100 more reports", () => ({ occurrences: 100 })],
  ["Until 1,000 more reports", () => ({ occurrences: 1_000 })],
  ["Until 100,000 more reports", () => ({ occurrences: 100_000 })],
  ["Until I unmute it", () => ({})],
]
