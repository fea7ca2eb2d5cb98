/** The source around a line of a frame. */
import type { Frame } from "@errata/core/event"
import { useEffect, useState } from "preact/hooks"
import { CopyButton } from "../../../parts/CopyButton.js"
import { Text } from "../../../parts/Text.js"
import { stackWrap } from "../choices.js"
import { type SourceLine, sourceOf } from "./Frames.js"
import type { Piece } from "./Highlighter.js"
import { languageOf } from "./Language.js"

export const Source = ({ frame }: { readonly frame: Frame }) => {
  const lines = sourceOf(frame)
  const colored = useColored(frame, lines)
  if (lines.length === 0) return null
  return (
    <div class="source-block">
      <pre
        class={stackWrap.value === "on" ? "source wrap" : "source"}
        // Long lines scroll, with arrow keys, too.
        tabIndex={stackWrap.value === "on" ? -1 : 0}
      >
        {lines.map(({ isCurrent, number, text }, i) => (
          <div key={i} class={isCurrent ? "hit" : undefined}>
            <i aria-hidden={number === null}>{number}</i>
            <code>
              <Line text={text} pieces={colored?.[i]} />
            </code>
          </div>
        ))}
      </pre>
      <CopyButton label="Copy the source" text={() => lines.map(({ text }) => text).join("\n")} />
    </div>
  )
}

// internal

/** Longer lines are rarely written by hand. They are cut, and stay plain. */
const maxLine = 500

const Line = ({
  text,
  pieces,
}: {
  readonly text: string
  readonly pieces: ReadonlyArray<Piece> | undefined
}) =>
  pieces === undefined || text.length > maxLine ? (
    <Text value={text} max={maxLine} />
  ) : (
    pieces.map((piece, i) => (
      <span key={i} class={piece.color}>
        <Text value={piece.text} />
      </span>
    ))
  )

/** The pieces of each line; null until they are known. Source is shown before, without colors. */
const useColored = (frame: Frame, lines: ReadonlyArray<SourceLine>) => {
  const [colored, setColored] = useState<ReadonlyArray<ReadonlyArray<Piece>> | null>(null)
  useEffect(() => {
    let isShown = true
    const language = languageOf(frame)
    // A line break within a line would move the lines below it.
    const isPlain = lines.some(({ text }) => text.length > maxLine || /[\r\n]/.test(text))
    if (language === null || isPlain) return
    import("./Highlighter.js")
      .then(({ highlight }) => highlight(language, lines.map(({ text }) => text).join("\n")))
      .then((pieces) => isShown && setColored(pieces))
      .catch(() => {})
    return () => {
      isShown = false
    }
  }, [frame])
  return colored
}
