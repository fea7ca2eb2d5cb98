import type { ComponentChildren } from "preact"
import { useId, useRef, useState } from "preact/hooks"
import { place } from "./place.js"
import "../styles/menu.css"

/** A button that opens a list of buttons or links below it. Escape and a click elsewhere close it. The list renders when it opens. */
export const Menu = ({
  label,
  name,
  class: className,
  id: buttonId,
  align = "start",
  children,
}: {
  /** The label of the button. */
  readonly label: ComponentChildren
  /** The name for screen readers, if the label is not enough. */
  readonly name?: string
  readonly class?: string
  readonly id?: string
  readonly align?: "start" | "end"
  readonly children: ComponentChildren
}) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [wasOpened, setOpened] = useState(false)
  const placeList = () => {
    if (button.current !== null && list.current !== null) place(button.current, list.current, align)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        id={buttonId}
        class={className}
        aria-label={name}
        aria-haspopup="true"
        popovertarget={id}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only moves the focus between its buttons. */}
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        onBeforeToggle={() => setOpened(true)}
        onToggle={(event) => {
          if (event.newState !== "open") return
          placeList()
          items(list.current)[0]?.focus()
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
          if (step === 0) return
          event.preventDefault()
          const all = items(list.current)
          const at = all.indexOf(document.activeElement as HTMLElement)
          all[(at + step + all.length) % all.length]?.focus()
        }}
        // Before the entry acts: the button gets the focus back, to which a dialog of the entry returns it.
        onClickCapture={(event) => {
          if (event.target instanceof Element && event.target.closest("a, button") !== null) {
            list.current?.hidePopover()
          }
        }}
      >
        {wasOpened && children}
      </div>
    </>
  )
}

// internal

const items = (list: HTMLElement | null): ReadonlyArray<HTMLElement> =>
  Array.from(list?.querySelectorAll<HTMLElement>("a, button:not(:disabled)") ?? [])
