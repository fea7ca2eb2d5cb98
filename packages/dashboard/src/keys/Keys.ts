/** Keyboard shortcuts. Each page registers its keys while it is open. The help dialog lists the registered keys. */
import { signal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"
import { createKeybindingsHandler } from "tinykeys"
import { keys as setting } from "../data/settings.js"
import { useIsShown } from "../data/shown.js"

export interface Shortcut {
  /** A typed character (`j`, `J`, `?`), a named key (`Enter`), or a sequence of two (`g p`). */
  readonly key: string
  /** Describes the action: `Next group`. */
  readonly label: string
  readonly run: (event: KeyboardEvent) => void
}

export interface Section {
  readonly title: string
  readonly shortcuts: ReadonlyArray<Shortcut>
}

/** The registered keys, in the order of registration. */
export const sections = signal<ReadonlyArray<Section>>([])

/** Registers shortcuts while the component is shown. The functions may change with each render. */
export const useKeys = (title: string, shortcuts: ReadonlyArray<Shortcut>): void => {
  const isShown = useIsShown()
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const names = shortcuts.map(({ key }) => key).join(",")
  // Before the page is painted: a reader may press a key as soon as they see it.
  useLayoutEffect(() => {
    if (!isShown) return
    const section: Section = {
      title,
      shortcuts: latest.current.map((shortcut, index) => ({
        ...shortcut,
        run: (event) => latest.current[index]?.run(event),
      })),
    }
    sections.value = [...sections.value, section]
    const handler = createKeybindingsHandler(bindingsOf(section.shortcuts), {
      ignore: isIgnored,
      timeout: sequenceMillis,
    })
    addEventListener("keydown", handler)
    return () => {
      removeEventListener("keydown", handler)
      sections.value = sections.value.filter((other) => other !== section)
    }
  }, [title, names, isShown])
}

// internal

const sequenceMillis = 1000

/** Time of the last `g`, until another key. */
const never = Number.NEGATIVE_INFINITY
let leaderAt = never
/** The event of a key that follows `g`, which completes a sequence and does nothing else. */
let follower: KeyboardEvent | null = null
addEventListener(
  "keydown",
  (event) => {
    if (["Shift", "Control", "Meta", "Alt"].includes(event.key)) return
    const isPlain = !event.ctrlKey && !event.metaKey
    follower = isPlain && event.timeStamp - leaderAt < sequenceMillis ? event : null
    leaderAt = isPlain && event.key === "g" && !isIgnored(event) ? event.timeStamp : never
  },
  { capture: true },
)

/**
 * One binding for `m` and `M`, as tinykeys ignores case and stops at the first that matches. Characters are bound with and
 * without Shift: some keyboards need it for `/`.
 */
const bindingsOf = (shortcuts: ReadonlyArray<Shortcut>): Record<string, (event: KeyboardEvent) => void> => {
  const bindingOf = ({ key }: Shortcut) => (key.length === 1 ? `[Shift]+${key.toLowerCase()}` : key)
  const groups = [...Map.groupBy(shortcuts, bindingOf)]
  return Object.fromEntries(groups.map(([binding, group]) => [binding, handlerOf(group)]))
}

const handlerOf = (group: ReadonlyArray<Shortcut>) => (event: KeyboardEvent) => {
  const shortcut = group.find(({ key }) => key.length !== 1 || key === event.key)
  if (shortcut === undefined) return
  const isSequence = shortcut.key.includes(" ")
  if (!isSequence && event === follower) return
  event.preventDefault()
  shortcut.run(event)
}

const isIgnored = (event: KeyboardEvent): boolean => {
  // Prevented: the palette has run an entry, and closed.
  if (event.defaultPrevented || event.isComposing || (event.repeat && event.key === "Enter")) return true
  if (document.querySelector("dialog[open], :popover-open") !== null) return true
  // Fields and the switch are about keys that type something.
  if (event.ctrlKey || event.metaKey) return false
  // The field of a dialog keeps the focus until the next frame after the dialog has closed.
  const target = event.target instanceof Element && event.target.checkVisibility() ? event.target : null
  if (target?.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return true
  // Buttons and links handle Enter themselves.
  if (event.key === "Enter" && target?.closest("a, button, summary, input")) return true
  return setting.peek() === "off"
}
