/** Text of strangers: escapes are marked, and long texts are cut until the reader expands them. */
import { useState } from "preact/hooks"
import { count } from "../text/Numbers.js"
import { head, links, maxLength, segments } from "../text/SafeText.js"
import "../styles/parts.css"

export const Text = ({ value, max = maxLength }: { readonly value: string; readonly max?: number }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && value.length > max
  return (
    <>
      <Segments value={isCut ? head(value, max) : value} />
      {isCut && (
        <>
          {"… "}
          <button type="button" class="link" onClick={() => setWhole(true)}>
            show all {count(value.length)} characters
          </button>
        </>
      )}
    </>
  )
}

/** Text with web addresses as links, for notes. */
export const LinkedText = ({ value }: { readonly value: string }) => (
  <>
    {links(value).map(({ href, text }) =>
      href === null ? (
        <Segments value={text} />
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener">
          <Segments value={text} />
        </a>
      ),
    )}
  </>
)

// internal

const Segments = ({ value }: { readonly value: string }) => (
  <>{segments(value).map(({ isEscape, text }) => (isEscape ? <span class="escape">{text}</span> : text))}</>
)
