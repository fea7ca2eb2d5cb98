/** Selects the frames of a stack to show and to fold. Pure functions. */
import type { Frame } from "@errata/core/event"

/** A line of a stack trace: a frame, or a run of frames of which only a summary is rendered. */
export type StackItem =
  | {
      readonly kind: "frame"
      readonly frame: Frame
      readonly index: number
      /** Number of equal frames in a row, as in a recursion. */
      readonly times: number
    }
  | {
      readonly kind: "fold"
      /** The index of the first frame, which names the run. */
      readonly index: number
      readonly frames: ReadonlyArray<Frame>
      /** True for frames of libraries, false for a part of a stack that is too long. */
      readonly isLibrary: boolean
      readonly libraries: ReadonlyArray<string>
    }

/** Frames are received from the outermost call to the innermost. */
export type Order = "newest" | "oldest"

/** Returns the items of a stack in the requested order. `frames` are in the order received. */
export const stackItems = (
  frames: ReadonlyArray<Frame>,
  { areAllShown, order }: { readonly areAllShown: boolean; readonly order: Order },
): ReadonlyArray<StackItem> => {
  const items = areAllShown ? runsOf(frames.map((frame, index) => ({ frame, index }))) : folded(frames)
  return order === "newest" ? [...items].reverse() : items
}

/** Returns the frames of a fold as items, in the requested order. */
export const itemsOfFold = (
  { frames, index }: StackItem & { readonly kind: "fold" },
  order: Order,
): ReadonlyArray<StackItem> => {
  const items = runsOf(frames.map((frame, i) => ({ frame, index: index + i })))
  return order === "newest" ? [...items].reverse() : items
}

/** Returns the indices of the frames that are open at first: those of the application that have something to show. */
export const openAtFirst = (frames: ReadonlyArray<Frame>): ReadonlySet<number> => {
  const isOwn = frames.some(({ in_app }) => in_app === true)
  const open = new Set<number>()
  for (let i = frames.length - 1; i >= 0 && open.size < (isOwn ? maxOpen : 1); i--) {
    if (hasDetails(frames[i]!) && (!isOwn || frames[i]!.in_app === true)) open.add(i)
  }
  return open
}

/** Returns true if a frame has source or variables to show. */
export const hasDetails = (frame: Frame): boolean =>
  frame.context_line !== undefined || Object.keys(frame.vars ?? {}).length > 0

/** Returns the file, line and column, e.g. `src/cart.ts:48:17`; for native code the library. */
export const placeOf = (frame: Frame): string => {
  const file = frame.filename ?? frame.module ?? frame.abs_path ?? baseName(frame.package ?? "")
  if (frame.lineno === undefined) return file
  return [file, frame.lineno, ...(frame.colno === undefined ? [] : [frame.colno])].join(":")
}

/** Returns the name of the function, or a substitute. */
export const functionOf = (frame: Frame): string =>
  frame.function || frame.instruction_addr || (frame.filename === undefined ? "unknown" : "anonymous")

/** A line of source around a frame. */
export interface SourceLine {
  /** Null if the SDK sent none. */
  readonly number: number | null
  readonly text: string
  readonly isCurrent: boolean
}

/** Returns the lines of source of a frame, without the indentation that all of them have. */
export const sourceOf = (frame: Frame): ReadonlyArray<SourceLine> => {
  const { context_line: current, lineno = 0, post_context: after = [], pre_context: before = [] } = frame
  if (current === undefined) return []
  const lines = [...before, current, ...after].map((line) => String(line ?? ""))
  const indentation = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length),
  )
  return lines.map((text, i) => ({
    number: lineno > before.length ? lineno + i - before.length : null,
    text: text.slice(Number.isFinite(indentation) ? indentation : 0),
    isCurrent: i === before.length,
  }))
}

/** Returns the library of a frame, e.g. `express`, or an empty string. */
export const libraryOf = (frame: Frame): string => {
  const path = (frame.abs_path ?? frame.filename ?? "").replaceAll("\\", "/")
  const installed =
    /.*\/(?:node_modules|site-packages|dist-packages|vendor|gems)\/(@?[^/]+)(?:\/([^/]+))?/.exec(`/${path}`)
  if (installed !== null) {
    const [, first = "", second] = installed
    // npm scopes and Composer vendors are part of the name. Gem folders end with the version.
    if (first.startsWith("@") || /\/vendor\//.test(installed[0])) return second ? `${first}/${second}` : first
    return first.replace(/-\d+(?:\.\d+)+$/, "").replace(/\.(?:py|js)$/, "")
  }
  if (/^(?:node:|internal\/)/.test(path)) return "node:internal"
  if (frame.package !== undefined) return baseName(frame.package)
  return (frame.module ?? "")
    .split(/[./:$]/)
    .slice(0, 2)
    .join(".")
}

// internal

/** Frames that are open at first: the source of each is some 30 elements. */
const maxOpen = 12
/** Frames of a stack without any of the application that are shown, and lines of one with many. */
const maxUnknown = 8
const maxShown = 60

const baseName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path

interface Placed {
  readonly frame: Frame
  readonly index: number
}

const folded = (frames: ReadonlyArray<Frame>): ReadonlyArray<StackItem> => {
  const placed = frames.map((frame, index) => ({ frame, index }))
  if (!frames.some(({ in_app }) => in_app === true)) return withRest(runsOf(placed), frames, maxUnknown)
  const items: Array<StackItem> = []
  for (let from = 0; from < placed.length; ) {
    const isOwn = placed[from]!.frame.in_app === true
    let to = from
    while (to < placed.length && (placed[to]!.frame.in_app === true) === isOwn) to++
    const run = placed.slice(from, to)
    items.push(...(isOwn ? runsOf(run) : [foldOf(run, true)]))
    from = to
  }
  return withRest(items, frames, maxShown)
}

/** Keeps the innermost items and folds the others. */
const withRest = (
  items: ReadonlyArray<StackItem>,
  frames: ReadonlyArray<Frame>,
  most: number,
): ReadonlyArray<StackItem> => {
  // A fold of one or two frames saves no room.
  if (items.length <= most + 2) return items
  const kept = items.slice(-most)
  const rest = frames.slice(0, kept[0]!.index).map((frame, index) => ({ frame, index }))
  return [foldOf(rest, false), ...kept]
}

const foldOf = (run: ReadonlyArray<Placed>, isLibrary: boolean): StackItem => ({
  kind: "fold",
  index: run[0]!.index,
  frames: run.map(({ frame }) => frame),
  isLibrary,
  libraries: [...new Set(run.map(({ frame }) => libraryOf(frame)))].filter((name) => name !== ""),
})

/** Equal frames in a row become one item. */
const runsOf = (placed: ReadonlyArray<Placed>): ReadonlyArray<StackItem> => {
  const items: Array<StackItem & { kind: "frame" }> = []
  for (const { frame, index } of placed) {
    const last = items.at(-1)
    if (last !== undefined && isSame(last.frame, frame)) {
      items[items.length - 1] = { kind: "frame", frame, index, times: last.times + 1 }
    } else items.push({ kind: "frame", frame, index, times: 1 })
  }
  return items
}

const isSame = (one: Frame, other: Frame): boolean =>
  one.function === other.function &&
  one.context_line === other.context_line &&
  one.instruction_addr === other.instruction_addr &&
  placeOf(one) === placeOf(other)
