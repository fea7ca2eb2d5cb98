/** Jumps to pages, projects, groups and reports, and runs the actions of the page. Opens with Ctrl K or ⌘ K. */
import Combobox from "@github/combobox-nav"
import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useAdminPages } from "../data/adminPages.js"
import { useProjects } from "../data/projects.js"
import { href } from "../data/root.js"
import { savedQueries } from "../data/savedQueries.js"
import { sections } from "../keys/Keys.js"
import { Dialog } from "./Dialog.js"
import { type Entry, entriesFor } from "./PaletteEntries.js"
import "../styles/palette.css"

const isOpen = signal(false)

export const openPalette = (): void => {
  isOpen.value = true
}

export const Palette = () =>
  isOpen.value && (
    <Dialog
      title="Search or jump to"
      isTitleHidden
      isLight
      class="palette"
      onClose={() => (isOpen.value = false)}
    >
      <Search />
    </Dialog>
  )

// internal

const Search = () => {
  const { path, route } = useLocation()
  const projects = useProjects().data ?? []
  const adminPages = useAdminPages()
  const [text, setText] = useState("")
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const projectId = Number(/\/projects\/(\d+)/.exec(path)?.[1] ?? Number.NaN)
  const entries = entriesFor(text, {
    projects,
    projectId,
    adminPages,
    sections: sections.value,
    queries: savedQueries.value,
  })
  const choose = (entry: Entry) => {
    isOpen.value = false
    if (entry.to !== undefined) return route(href(entry.to))
    // After the dialog has restored the focus.
    requestAnimationFrame(() => entry.run?.())
  }
  // A layout effect, so that Enter in the same frame as the last letter already selects an entry.
  useLayoutEffect(() => {
    input.current?.focus()
    if (input.current === null || list.current === null) return
    const combobox = new Combobox(input.current, list.current, { firstOptionSelectionMode: "selected" })
    combobox.start()
    return () => combobox.destroy()
  }, [text, entries.length])
  return (
    <>
      <input
        ref={input}
        type="text"
        autofocus
        aria-label="Search pages, projects, actions and groups"
        placeholder="Page, project, action, event id, or number or text of a group"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div ref={list} id={id} role="listbox" aria-label="Results" class="results">
        {entries.map((entry) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys of the field choose options.
          <div
            key={entry.label + entry.kind}
            role="option"
            aria-selected="false"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(entry)}
          >
            <span>{entry.label}</span>
            <span class="faint">{entry.kind}</span>
            {entry.key !== undefined && <kbd>{entry.key}</kbd>}
          </div>
        ))}
      </div>
    </>
  )
}
