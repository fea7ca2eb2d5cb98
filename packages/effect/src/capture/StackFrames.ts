/** The stack of an error as V8 writes it, as frames. */
import { isBuiltin } from "node:module"
import { relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** A frame as Sentry's protocol has it. */
export interface Frame {
  readonly filename?: string
  readonly abs_path?: string
  readonly function?: string
  readonly lineno?: number
  readonly colno?: number
  readonly in_app: boolean
}

/**
 * Parses the frames of an error's `stack`, from the outermost call to the innermost. Files below `root` get relative
 * names. Frames of packages and of Node are not in-app. `spans` are the lines of the spans around the error; they
 * affect grouping only if the stack has no in-app frame.
 */
export const framesOf = (
  stack: string,
  header: string,
  root: string,
  spans: ReadonlyArray<string> = [],
): ReadonlyArray<Frame> => {
  // Messages of several lines may look like frames.
  const lines = (stack.startsWith(header) ? stack.slice(header.length) : stack).split("\n", maxLines)
  const frames = parsed(withoutRunLoop(lines), root)
  const hasOwn = frames.some((frame) => frame.in_app)
  const around = parsed(spans, root).map((frame) => (hasOwn ? { ...frame, in_app: false } : frame))
  return [...frames, ...around].reverse()
}

// internal

/** Maximum number of lines of a stack trace that are parsed. */
const maxLines = 1_000

const parsed = (lines: ReadonlyArray<string>, root: string): ReadonlyArray<Frame> =>
  lines.flatMap((line) => frameOf(line, root) ?? [])

/** The frames of Effect's run loop are in every stack. */
const withoutRunLoop = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const loop = lines.findIndex((line) => line.includes("at ~effect/"))
  if (loop === -1) return lines
  return lines.slice(0, lines[loop - 1]?.includes("at Generator.next ") ? loop - 1 : loop)
}

const frameOf = (line: string, root: string): Frame | null => {
  const at = /^ {4}at (?:async )?(.+)$/.exec(line)?.[1]
  if (at === undefined) return null
  const open = at.endsWith(")") ? at.indexOf(" (") : -1
  const name = open === -1 ? "" : at.slice(0, open).replace(/^new (?=[^ ]+$)/, "")
  const place = open === -1 ? at : at.slice(open + 2, -1)
  const fn = name === "" ? {} : { function: name }
  // Code inside `eval` gets the position of the call to `eval`.
  const evaluated = /^eval at .*?\(([^()]+:\d+:\d+)\)/.exec(place)?.[1]
  const [, file = "", lineno, colno] = /^(.*?)(?::(\d+))?(?::(\d+))?$/.exec(evaluated ?? place) ?? []
  if (lineno === undefined) return name === "" ? null : { ...fn, in_app: false }
  const { filename, isOwn, path } = placeOf(file, root)
  return {
    ...fn,
    filename,
    abs_path: path,
    lineno: Number(lineno),
    ...(colno === undefined ? {} : { colno: Number(colno) }),
    in_app: isOwn,
  }
}

interface Place {
  readonly path: string
  readonly filename: string
  readonly isOwn: boolean
}

/** Cached, since errors come from few files. */
const places = new Map<string, Place>()
const maxPlaces = 1_000

const placeOf = (file: string, root: string): Place => {
  const key = `${root}\n${file}`
  const known = places.get(key)
  if (known !== undefined) return known
  const path = pathOf(file)
  const place = { path, filename: shortened(path, root), isOwn: isOwn(path) }
  if (places.size >= maxPlaces) places.clear()
  places.set(key, place)
  return place
}

const pathOf = (file: string): string => {
  if (!file.startsWith("file://")) return file
  try {
    return fileURLToPath(file)
  } catch {
    // Not a valid path on this system, so it stays unchanged.
    return file
  }
}

const shortened = (path: string, root: string): string =>
  path.startsWith(root + sep) ? relative(root, path) : path

const isOwn = (path: string): boolean =>
  !(
    /[\\/]node_modules[\\/]/.test(path) ||
    path.startsWith("node:") ||
    path.startsWith("<") ||
    isBuiltin(path)
  )
