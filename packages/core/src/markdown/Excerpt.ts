/**
 * Shortens a report for language models, whose context is limited. The application's own frames come first; others
 * are folded. Innermost frames, the last exception and the latest breadcrumbs are kept longest. User data, request
 * headers, cookies and bodies are left out.
 */
import type { ExceptionValue, Frame, Json, JsonObject, Thread } from "../event/ErrorEvent.js"
import type { Report } from "../report/Report.js"
import { cut, visible } from "./Text.js"

export interface FrameExcerpt {
  /** E.g. `src/cart.js`; empty if unknown. */
  readonly file: string
  /** The file with line and column, e.g. `src/cart.js:12:31`. */
  readonly place: string
  readonly function: string
  /** Number of consecutive calls of this frame, as in a recursion. */
  readonly times: number
  /** Source lines around it; empty if unknown. */
  readonly source: ReadonlyArray<SourceLine>
  readonly variables: ReadonlyArray<readonly [name: string, value: string]>
}

export interface SourceLine {
  /** Counted from 1; null if unknown. */
  readonly number: number | null
  readonly text: string
  /** True for the line of the frame. */
  readonly isCurrent: boolean
}

export interface StackExcerpt {
  /** Innermost first. Only frames of the application, if any are known to be. */
  readonly frames: ReadonlyArray<FrameExcerpt>
  readonly areOfApplication: boolean
  /** Number of other frames, and the innermost of them as text. */
  readonly foldedCount: number
  readonly folded: ReadonlyArray<string>
}

export interface ExceptionExcerpt extends StackExcerpt {
  readonly type: string
  readonly value: string
  /** Null if the sender did not say. */
  readonly handled: boolean | null
}

export interface BreadcrumbExcerpt {
  readonly timestamp: string
  readonly category: string
  readonly level: string
  readonly message: string
}

export interface ReportExcerpt {
  /** The last exception first, then its causes. */
  readonly exceptions: ReadonlyArray<ExceptionExcerpt>
  /** The crashed or current thread of a report without exceptions; null if there is none. */
  readonly thread: (StackExcerpt & { readonly name: string }) | null
  readonly transaction: string
  /** Method and URL without the query. */
  readonly request: string
  /** Oldest first. */
  readonly breadcrumbs: ReadonlyArray<BreadcrumbExcerpt>
  readonly tags: ReadonlyArray<readonly [key: string, value: string]>
  readonly contexts: ReadonlyArray<readonly [name: string, value: string]>
  readonly extras: ReadonlyArray<readonly [key: string, value: string]>
  readonly attachments: ReadonlyArray<readonly [id: number, filename: string]>
  /** True if anything was cut. */
  readonly truncated: boolean
}

/** Number of levels, from 0 (the most detail) to the least. */
export const levelCount = 5

/** The level for readers who can request more. It has the frames, breadcrumbs and variables that most errors need. */
export const briefLevel = 2

/** Returns the most detailed excerpt whose text fits the budget, or the last level, with the text. */
export const fitting = (
  report: Report,
  budget: number,
  render: (excerpt: ReportExcerpt) => string,
  firstLevel = 0,
): { readonly excerpt: ReportExcerpt; readonly text: string } => {
  for (let level = firstLevel; ; level++) {
    const excerpt = excerptOf(report, level)
    const text = render(excerpt)
    if (text.length <= budget || level === levelCount - 1) return { excerpt, text }
  }
}

export const excerptOf = (report: Report, level: number): ReportExcerpt => {
  const room = roomOf(level)
  const { details } = report
  const cutting = new Cutting()
  const last = [...(details?.exceptions ?? [])].reverse()
  const exceptions = cutting
    .first(last, room.exceptions)
    .map((exception) => exceptionOf(exception, room, cutting))
  const thread = exceptions.length > 0 ? undefined : mainThread(details?.threads ?? [])
  const pairs = <A>(items: ReadonlyArray<A>, most: number, pair: (item: A) => readonly [string, string]) =>
    cutting
      .first(items, most)
      .map(pair)
      .map(([name, value]) => [cutting.line(name, 100), cutting.line(value, room.value)] as const)
  return {
    exceptions,
    thread:
      thread === undefined
        ? null
        : {
            name: cutting.line(thread.name ?? thread.id ?? "", 100),
            ...stackOf(thread.frames, room, cutting),
          },
    transaction: cutting.line(details?.transaction ?? "", 300),
    request: cutting.line(
      [details?.request.method, (details?.request.url ?? "").replace(/[?#].*$/s, "")]
        .filter(Boolean)
        .join(" "),
      500,
    ),
    breadcrumbs: cutting.last(details?.breadcrumbs ?? [], room.breadcrumbs).map((breadcrumb) => ({
      timestamp: cutting.line(breadcrumb.timestamp ?? "", 40),
      category: cutting.line(breadcrumb.category ?? breadcrumb.type ?? "", 60),
      level: cutting.line(breadcrumb.level ?? "", 20),
      message: cutting.line(
        [breadcrumb.message, breadcrumb.data && jsonText(breadcrumb.data)].filter(Boolean).join(" "),
        room.breadcrumb,
      ),
    })),
    tags: pairs(report.tags, room.pairs, ({ key, value }) => [key, value]),
    contexts: pairs(details?.contexts ?? [], room.pairs, ({ data, name }) => [name, jsonText(data)]),
    extras: pairs(details?.extras ?? [], room.pairs, ({ key, value }) => [key, jsonText(value)]),
    attachments: cutting
      .first(report.attachments, room.pairs)
      .map(({ filename, id }) => [id, cutting.line(filename, 200)] as const),
    truncated: cutting.happened || (details?.ingest_truncations.length ?? 0) > 0,
  }
}

// internal

/** Maximum numbers and lengths of a level. Lengths are in UTF-16 units. */
interface Room {
  readonly exceptions: number
  /** Length of an exception's message. */
  readonly text: number
  readonly frames: number
  /** Frames, if none is known to belong to the application. */
  readonly otherFrames: number
  /** Frames with source lines. */
  readonly sources: number
  /** Source lines before and after the current one. */
  readonly around: number
  readonly sourceLine: number
  /** Frames with variables, and variables per frame. */
  readonly variableFrames: number
  readonly variables: number
  readonly value: number
  readonly folded: number
  readonly breadcrumbs: number
  readonly breadcrumb: number
  /** Tags, contexts, extras and attachments, of each. */
  readonly pairs: number
}

const rooms: readonly [Room, ...ReadonlyArray<Room>] = [
  {
    exceptions: 8,
    text: 8_000,
    frames: 30,
    otherFrames: 30,
    sources: 10,
    around: 5,
    sourceLine: 300,
    variableFrames: 5,
    variables: 20,
    value: 400,
    folded: 6,
    breadcrumbs: 50,
    breadcrumb: 400,
    pairs: 50,
  },
  {
    exceptions: 6,
    text: 4_000,
    frames: 20,
    otherFrames: 20,
    sources: 6,
    around: 5,
    sourceLine: 200,
    variableFrames: 3,
    variables: 12,
    value: 200,
    folded: 4,
    breadcrumbs: 30,
    breadcrumb: 250,
    pairs: 30,
  },
  {
    exceptions: 4,
    text: 2_000,
    frames: 12,
    otherFrames: 6,
    sources: 4,
    around: 3,
    sourceLine: 160,
    variableFrames: 2,
    variables: 8,
    value: 120,
    folded: 2,
    breadcrumbs: 15,
    breadcrumb: 160,
    pairs: 20,
  },
  {
    exceptions: 3,
    text: 1_000,
    frames: 6,
    otherFrames: 6,
    sources: 2,
    around: 2,
    sourceLine: 120,
    variableFrames: 1,
    variables: 5,
    value: 80,
    folded: 2,
    breadcrumbs: 8,
    breadcrumb: 120,
    pairs: 10,
  },
  {
    exceptions: 2,
    text: 500,
    frames: 3,
    otherFrames: 3,
    sources: 1,
    around: 1,
    sourceLine: 80,
    variableFrames: 0,
    variables: 0,
    value: 60,
    folded: 0,
    breadcrumbs: 3,
    breadcrumb: 80,
    pairs: 3,
  },
]

const roomOf = (level: number): Room => rooms[level] ?? rooms[0]

/** Cuts texts and lists, and remembers whether it did. */
class Cutting {
  happened = false

  text(text: string, maximum: number): string {
    // Cut twice, because escaping makes texts longer.
    const shown = visible(cut(text, maximum))
    if (text.length > maximum || shown.length > maximum) this.happened = true
    return cut(shown, maximum)
  }

  line(text: string, maximum: number): string {
    return this.text(text, maximum).replace(/\s*\n\s*/g, " ")
  }

  first<A>(items: ReadonlyArray<A>, most: number): ReadonlyArray<A> {
    if (items.length > most) this.happened = true
    return items.slice(0, most)
  }

  last<A>(items: ReadonlyArray<A>, most: number): ReadonlyArray<A> {
    if (items.length > most) this.happened = true
    return items.slice(Math.max(0, items.length - most))
  }
}

const exceptionOf = (exception: ExceptionValue, room: Room, cutting: Cutting): ExceptionExcerpt => ({
  type: cutting.line(exception.type ?? "", 200),
  value: cutting.text(exception.value ?? "", room.text),
  handled: exception.mechanism?.handled ?? null,
  ...stackOf(exception.frames, room, cutting),
})

const stackOf = (frames: ReadonlyArray<Frame>, room: Room, cutting: Cutting): StackExcerpt => {
  const innermostFirst = [...frames].reverse()
  const own = innermostFirst.filter((frame) => frame.in_app === true)
  const shown =
    own.length > 0
      ? cutting.first(runsOf(own), room.frames)
      : cutting.first(runsOf(innermostFirst), room.otherFrames)
  const isShown = new Set(shown.flat())
  const others = innermostFirst.filter((frame) => !isShown.has(frame))
  return {
    frames: shown.map(([frame, ...same], i) => ({
      file: cutting.line(fileOf(frame), 300),
      place: cutting.line(placeOf(frame), 300),
      function: cutting.line(frame.function ?? "", 200),
      times: 1 + same.length,
      source: i < room.sources ? sourceOf(frame, room, cutting) : [],
      variables:
        i < room.variableFrames
          ? cutting
              .first(Object.entries(frame.vars ?? {}), room.variables)
              .map(
                ([name, value]) =>
                  [cutting.line(name, 80), cutting.line(jsonText(value), room.value)] as const,
              )
          : [],
    })),
    areOfApplication: own.length > 0,
    foldedCount: others.length,
    folded: runsOf(others)
      .slice(0, room.folded)
      .map(([frame]) => cutting.line([placeOf(frame), frame.function].filter(Boolean).join(" in "), 150)),
  }
}

/** Collects consecutive equal frames. */
const runsOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<readonly [Frame, ...Array<Frame>]> => {
  const runs: Array<[Frame, ...Array<Frame>]> = []
  for (const frame of frames) {
    const run = runs.at(-1)
    if (run !== undefined && isSame(run[0], frame)) run.push(frame)
    else runs.push([frame])
  }
  return runs
}

const isSame = (one: Frame, other: Frame): boolean =>
  one.function === other.function &&
  one.context_line === other.context_line &&
  placeOf(one) === placeOf(other)

const fileOf = (frame: Frame): string =>
  frame.filename ?? frame.module ?? frame.abs_path ?? frame.package ?? ""

const placeOf = (frame: Frame): string =>
  [fileOf(frame), frame.lineno, frame.lineno === undefined ? undefined : frame.colno]
    .filter((part) => part !== undefined)
    .join(":")

const sourceOf = (frame: Frame, room: Room, cutting: Cutting): ReadonlyArray<SourceLine> => {
  const { context_line: line, lineno = 0 } = frame
  if (line === undefined) return []
  const before = frame.pre_context?.slice(-room.around) ?? []
  const after = frame.post_context?.slice(0, room.around) ?? []
  return [...before, line, ...after].map((text, i) => ({
    number: lineno > 0 ? lineno + i - before.length : null,
    text: cutting.line(text, room.sourceLine),
    isCurrent: i === before.length,
  }))
}

const mainThread = (threads: ReadonlyArray<Thread>): Thread | undefined => {
  const withFrames = threads.filter(({ frames }) => frames.length > 0)
  return (
    withFrames.find(({ crashed }) => crashed === true) ??
    withFrames.find(({ current }) => current === true) ??
    withFrames.at(-1)
  )
}

/** JSON without quotes, which take two more characters when the text is embedded in other JSON. */
const jsonText = (value: Json | JsonObject): string =>
  typeof value === "string"
    ? value
    : JSON.stringify(value).replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => text)
