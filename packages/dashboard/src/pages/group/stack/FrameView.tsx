/** A frame: one line, and its source and variables once it is open. */
import type { Frame } from "@errata/core/event"
import { useState } from "preact/hooks"
import { Text } from "../../../parts/Text.js"
import { inlineJson } from "../../../parts/Value.js"
import { count, counted } from "../../../text/Numbers.js"
import { cut, line } from "../../../text/SafeText.js"
import { functionOf, hasDetails, placeOf } from "./Frames.js"
import { Source } from "./Source.js"

export const FrameView = ({
  frame,
  isOpenAtFirst,
  times,
}: {
  readonly frame: Frame
  readonly isOpenAtFirst: boolean
  readonly times: number
}) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const canOpen = hasDetails(frame)
  const title = (
    <>
      <b>{line(cut(functionOf(frame), 300))}</b>
      <span class="frame-place">{line(cut(placeOf(frame), 500))}</span>
      {times > 1 && <span class="chip">{count(times)} times</span>}
      <span class="grow" />
      {frame.in_app === true && <span class="chip">in app</span>}
    </>
  )
  return (
    <li class={frame.in_app === true ? "frame own" : "frame"} style={{ "--lines": linesOf(frame) }}>
      {canOpen ? (
        <button type="button" class="frame-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="caret" aria-hidden="true" />
          {title}
        </button>
      ) : (
        <div class="frame-line">
          <span class="caret none" aria-hidden="true" />
          {title}
        </div>
      )}
      {isOpen && canOpen && <Details frame={frame} />}
    </li>
  )
}

// internal

/** The number of lines of source, by which browsers estimate the height of a frame that is out of sight. */
const linesOf = ({ post_context: after, pre_context: before }: Frame): number =>
  (before?.length ?? 0) + 1 + (after?.length ?? 0)

const Details = ({ frame }: { readonly frame: Frame }) => (
  <>
    <Source frame={frame} />
    <Variables values={Object.entries(frame.vars ?? {})} />
  </>
)

const Variables = ({ values }: { readonly values: ReadonlyArray<readonly [string, unknown]> }) => {
  const [isWhole, setWhole] = useState(false)
  if (values.length === 0) return null
  const shown = isWhole ? values : values.slice(0, 12)
  return (
    <dl class="vars">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{line(cut(name, 100))} =</dt>
          <dd>
            <Text value={inlineJson(value)} max={200} />
          </dd>
        </div>
      ))}
      {shown.length < values.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {counted(values.length - shown.length, "more variable")}
        </button>
      )}
    </dl>
  )
}
