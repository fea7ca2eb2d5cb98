/** The frames of one stack, with runs of library frames folded. */
import type { Frame } from "@errata/core/event"
import { useMemo, useState } from "preact/hooks"
import { counted } from "../../../text/Numbers.js"
import { cut, line } from "../../../text/SafeText.js"
import { stackFrames, stackOrder } from "../choices.js"
import { itemsOfFold, openAtFirst, type StackItem, stackItems } from "./Frames.js"
import { FrameView } from "./FrameView.js"

export const FrameList = ({
  frames,
}: {
  /** In the order received. */
  readonly frames: ReadonlyArray<Frame>
}) => {
  const areAllShown = stackFrames.value === "all"
  const order = stackOrder.value
  const open = useMemo(() => openAtFirst(frames), [frames])
  const items = useMemo(() => stackItems(frames, { areAllShown, order }), [frames, areAllShown, order])
  if (frames.length === 0) return <p class="nothing">No stack trace.</p>
  return (
    <ol class="frames">
      <Items items={items} open={open} />
    </ol>
  )
}

// internal

interface ItemsProps {
  readonly items: ReadonlyArray<StackItem>
  readonly open: ReadonlySet<number>
}

/** A limit for readers and browsers: stacks can have thousands of frames. */
const step = 100

const Items = ({ items, open }: ItemsProps) => {
  const [shown, show] = useState(step)
  return (
    <>
      {items
        .slice(0, shown)
        .map((item) =>
          item.kind === "fold" ? (
            <Fold key={`fold-${item.index}`} fold={item} open={open} />
          ) : (
            <FrameView
              key={item.index}
              frame={item.frame}
              times={item.times}
              isOpenAtFirst={open.has(item.index)}
            />
          ),
        )}
      {items.length > shown && (
        <li class="frame">
          <button type="button" class="frame-line" onClick={() => show(shown + step)}>
            {counted(items.length - shown, "more frame")}
          </button>
        </li>
      )}
    </>
  )
}

const Fold = ({
  fold,
  open,
}: Omit<ItemsProps, "items"> & { readonly fold: StackItem & { kind: "fold" } }) => {
  const [isOpen, setOpen] = useState(false)
  const items = useMemo(() => (isOpen ? itemsOfFold(fold, stackOrder.value) : []), [isOpen, fold])
  return (
    <>
      <li class="frame fold">
        <button type="button" class="frame-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="caret" aria-hidden="true" />
          <span>{counted(fold.frames.length, fold.isLibrary ? "library frame" : "more frame")}</span>
          <span class="frame-place">{namesOf(fold.libraries)}</span>
        </button>
      </li>
      {isOpen && <Items items={items} open={open} />}
    </>
  )
}

const namesOf = (names: ReadonlyArray<string>): string => {
  const first = names.slice(0, 3).map((name) => line(cut(name, 60)))
  return names.length > first.length
    ? `${first.join(", ")} and ${names.length - first.length} more`
    : first.join(", ")
}
