/** A relative time. Its tooltip or popover has the absolute one, in the reader's zone and in UTC. */
import { computed, signal } from "@preact/signals"
import { useId, useRef, useState } from "preact/hooks"
import { stored } from "../data/settings.js"
import { dateTime, dateTimeWithZone, relative } from "../text/Times.js"
import { CopyButton } from "./CopyButton.js"
import { place } from "./place.js"
import "../styles/parts.css"

/** The zone of absolute times. One switch for all pages. */
export const zone = stored("zone", ["local", "UTC"])

/** The time by which relative times are counted. All of them move together. */
export const clock = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === "visible") clock.value = Date.now()
}, 15_000)

/** Start of the current hour, for values that change hourly. */
export const runningHour = computed(() => clock.value - (clock.value % 3_600_000))

interface TimeProps {
  readonly value: string
  /** Shows the absolute time. */
  readonly isAbsolute?: boolean
  /** Omits "ago", for narrow columns whose heading says so. */
  readonly isShort?: boolean
}

/** For rows of lists: the absolute times are in the tooltip. */
export const Time = ({ isAbsolute = false, isShort = false, value }: TimeProps) => (
  <time dateTime={value} onPointerEnter={addTitle}>
    {isAbsolute ? dateTime(value, zone.value) : relativeTo(value, isShort)}
  </time>
)

/** For pages: a button that opens the absolute times, to be read and copied. */
export const TimeButton = ({ isAbsolute = false, value }: TimeProps) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [wasOpened, setOpened] = useState(false)
  return (
    <>
      <button ref={button} type="button" class="time-button" popovertarget={id}>
        <Time value={value} isAbsolute={isAbsolute} />
      </button>
      <div
        id={id}
        popover="auto"
        class="popover times"
        onBeforeToggle={() => setOpened(true)}
        onToggle={({ currentTarget, newState }) => {
          if (newState === "open" && button.current !== null) place(button.current, currentTarget)
        }}
      >
        {wasOpened && <AbsoluteTimes value={value} />}
      </div>
    </>
  )
}

// internal

const AbsoluteTimes = ({ value }: { readonly value: string }) => (
  <>
    <p>
      {dateTimeWithZone(value)} <CopyButton text={dateTimeWithZone(value)} label="Copy the local time" />
    </p>
    <p>
      {dateTimeWithZone(value, "UTC")} <CopyButton text={value} label="Copy the time in UTC" />
    </p>
    <label>
      <input
        type="checkbox"
        checked={zone.value === "UTC"}
        onChange={({ currentTarget }) => (zone.value = currentTarget.checked ? "UTC" : "local")}
      />
      Show all times in UTC
    </label>
  </>
)

/** Lists have many times, and few of them are pointed at. */
const addTitle = ({ currentTarget }: { readonly currentTarget: HTMLTimeElement }): void => {
  const { dateTime } = currentTarget
  currentTarget.title = `${dateTimeWithZone(dateTime)}\n${dateTimeWithZone(dateTime, "UTC")}`
}

const relativeTo = (value: string, isShort: boolean): string => {
  const text = relative(value, clock.value, zone.value)
  return isShort ? text.replace(/ ago$/, "") : text
}
