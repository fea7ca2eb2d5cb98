import { useEffect, useState } from "preact/hooks"
import { copy } from "./Clipboard.js"
import "../styles/parts.css"

/** Copies a text, and confirms it visually and to screen readers. */
export const CopyButton = ({
  label = "Copy",
  text,
}: {
  /** The name of the button for screen readers: `Copy the stack trace`. */
  readonly label?: string
  readonly text: string | (() => string)
}) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      class="chip"
      aria-label={label}
      onClick={async () => setCopied(await copy(typeof text === "string" ? text : text()))}
    >
      <span role="status">{isCopied ? "copied" : "copy"}</span>
    </button>
  )
}
