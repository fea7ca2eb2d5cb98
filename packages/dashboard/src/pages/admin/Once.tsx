/** A secret that the server shows once: it is copied here or lost. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { CopyButton } from "../../parts/CopyButton.js"
import { Dialog } from "../../parts/Dialog.js"

export const Once = ({
  title,
  label,
  text,
  onClose,
  children,
}: {
  readonly title: string
  /** The name of the secret: `Sign-in link`. */
  readonly label: string
  readonly text: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="once">
        <input ref={field} type="text" readOnly aria-label={label} value={text} spellcheck={false} />
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
      <footer>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
