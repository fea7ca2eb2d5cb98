/** Actions that links in messages suggest, e.g. `?do=resolve`. The link alone has no effect: the reader confirms. */
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { notify } from "../../data/notices.js"
import type { ShownGroup } from "./ShownGroup.js"

/** Moves the focus to the button that resolves, or opens the menu that mutes. */
export const useOffer = (group: ShownGroup, mayChange: boolean): void => {
  const wanted = useLocation().query["do"]
  useEffect(() => {
    if (!mayChange) return
    // The button would do the opposite.
    if (wanted === "resolve" && group.resolved) notify("The group is resolved already.")
    else if (wanted === "mute" && group.muted) notify("The group is muted already.")
    // After the heading, which gets the focus of a new page.
    else requestAnimationFrame(() => offer(wanted))
  }, [wanted])
}

// internal

const offer = (wanted: string | undefined): void => {
  if (wanted === "resolve") document.getElementById("resolve")?.focus()
  if (wanted === "mute") document.getElementById("mute")?.click()
}
