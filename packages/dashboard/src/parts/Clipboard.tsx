/**
 * Copying. Browsers have no clipboard on plain http, except on loopback: there a dialog shows the text, selected and ready
 * to be copied by hand.
 */
import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

/** The text that waits in the dialog; null while it is closed. */
const waiting = signal<string | null>(null)

/** Copies a text. Returns false if the reader has to do it. */
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
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const text = waiting.value
  useEffect(() => {
    if (text === null) return
    dialog.current?.showModal()
    field.current?.select()
  }, [text])
  if (text === null) return null
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="copy-title" onClose={() => (waiting.value = null)}>
      <h2 id="copy-title">Copy this text</h2>
      <p>The browser allows pages to copy over HTTPS only. The text is selected: press Ctrl C or ⌘ C.</p>
      <textarea ref={field} readOnly rows={10} value={text} aria-label="Text to copy" />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
