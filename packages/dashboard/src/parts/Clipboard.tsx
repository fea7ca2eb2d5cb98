/**
 * Copying. Browsers have no clipboard on plain http, except on loopback: there a dialog shows the text, selected and ready
 * to be copied by hand.
 */
import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { Dialog } from "./Dialog.js"
import "../styles/parts.css"

/** The text that waits in the dialog; null while it is closed. */
const waiting = signal<string | null>(null)

/** Copies a text. Returns false and opens the dialog if the browser does not allow it. */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    waiting.value = text
    return false
  }
}

/** The dialog. The frame of the app renders it once. */
export const CopyDialog = () => {
  const field = useRef<HTMLTextAreaElement>(null)
  const text = waiting.value
  useEffect(() => {
    if (text === null) return
    field.current?.focus()
    field.current?.select()
  }, [text])
  if (text === null) return null
  return (
    <Dialog title="Copy this text" onClose={() => (waiting.value = null)}>
      <p>The browser did not let the page copy. The text is selected: press Ctrl C or ⌘ C.</p>
      <textarea ref={field} class="copy-text" readOnly rows={10} value={text} aria-label="Text to copy" />
    </Dialog>
  )
}
