/** Mutes groups: for a while, for a number of reports, until the next release, or without end. */
import type { ComponentChildren } from "preact"
import type { GroupRef } from "../data/groups.js"
import { type Mute, setMute } from "../data/triage.js"
import { counted } from "../text/Numbers.js"
import { nextRelease } from "../text/ReleaseText.js"
import { Menu } from "./Menu.js"

export const MuteMenu = ({
  groups,
  isMuted,
  ...menu
}: {
  readonly groups: ReadonlyArray<GroupRef>
  /** True if the menu offers to unmute. */
  readonly isMuted: boolean
  readonly label: ComponentChildren
  readonly id?: string
  readonly align?: "start" | "end"
}) => (
  <Menu {...menu}>
    {isMuted && (
      <button type="button" onClick={() => setMute(groups, null)}>
        Unmute
      </button>
    )}
    <button type="button" onClick={() => setMute(groups, {})}>
      Until I unmute it
    </button>
    <button type="button" onClick={() => setMute(groups, { until_release: nextRelease })}>
      Until the next release
    </button>
    <div class="menu-columns">
      <div>
        {spans.map((hours) => (
          <button key={hours} type="button" onClick={() => setMute(groups, until(hours))}>
            For {hours < 24 ? counted(hours, "hour") : counted(hours / 24, "day")}
          </button>
        ))}
      </div>
      <div>
        {counts.map((occurrences) => (
          <button key={occurrences} type="button" onClick={() => setMute(groups, { occurrences })}>
            For {counted(occurrences, "report")}
          </button>
        ))}
      </div>
    </div>
  </Menu>
)

// internal

const spans = [1, 4, 12, 24, 72]
const counts = [1, 10, 100, 1_000, 10_000, 100_000]

const until = (hours: number): Mute => ({
  snooze_until: new Date(Date.now() + hours * 3_600_000).toISOString(),
})
