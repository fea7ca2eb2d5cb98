/**
 * FROZEN with `GroupingV2.ts`. Selects the frames that locate an error: in-app frames if there are any, else frames
 * outside system libraries, else all. A frame counts by its module or file, function and source line.
 */
import type { Frame } from "../../event/ErrorEvent.js"
import { encode, shown } from "./Encoding.js"
import {
  baseName,
  isMachinery,
  isNativeFile,
  isRuntimeLibrary,
  isSystemLibrary,
  normalizeFile,
  normalizeFunction,
  normalizeModule,
  normalizeScriptFunction,
} from "./Frame.js"

/** A frame as evidence. Without function and source context it is weak: many frames of a file look the same. */
export interface FrameEvidence {
  readonly component: string
  readonly text: string
  readonly weak: boolean
}

/** The frames that locate the error, innermost first; null if there are none. */
export const usefulFrames = (
  frames: ReadonlyArray<Frame>,
  platform: string,
): ReadonlyArray<FrameEvidence> | null => {
  const count = frames.length
  if (count === 0) return null
  const inScript = platform === "javascript" || platform === "node"
  // A plain loop over parallel arrays, because grouping spends most of its time here. The second loop runs only without
  // in-app frames.
  const evidence = new Array<FrameEvidence | null>(count).fill(null)
  let inApp = 0
  for (let i = 0; i < count; i++) {
    const frame = frames[i]!
    if (frame.in_app !== true) continue
    const found = evidenceOf(frame, inScript)
    evidence[i] = found
    if (found !== null) inApp++
  }
  let unknown = 0
  let all = inApp
  if (inApp === 0) {
    for (let i = 0; i < count; i++) {
      const frame = frames[i]!
      if (frame.in_app === true) continue
      const found = evidenceOf(frame, inScript)
      evidence[i] = found
      if (found === null) continue
      all++
      if (belongsOf(frame) === undefined) unknown++
    }
  }
  if (all === 0) return librariesOf(frames)
  const wanted = inApp > 0 ? true : unknown > 0 ? undefined : null
  const useful: Array<FrameEvidence> = []
  let last = ""
  let weak = true
  for (let i = count - 1; i >= 0 && useful.length < MaxFrames; i--) {
    const found = evidence[i]!
    if (found === null || (wanted !== null && belongsOf(frames[i]!) !== wanted) || found.component === last)
      continue
    last = found.component
    if (!found.weak) weak = false
    useful.push(found)
  }
  return weak ? withPositions(frames, evidence, wanted) : useful
}

// internal

/**
 * True for frames of the application, false for others, undefined if unknown. Frames in system libraries differ between
 * machines.
 */
const belongsOf = (frame: Frame): boolean | undefined => {
  if (frame.in_app !== undefined) return frame.in_app
  const library = libraryOf(frame)
  return library !== "" && isSystemLibrary(library) ? false : undefined
}

/** Managed code names an assembly where native code names a library. */
const libraryOf = (frame: Frame): string =>
  frame.package === undefined || frame.module !== undefined ? "" : frame.package

const MaxFrames = 50
const MaxTextLength = 256

/** Adds line and column to frames that have only a file name. */
const withPositions = (
  frames: ReadonlyArray<Frame>,
  evidence: ReadonlyArray<FrameEvidence | null>,
  wanted: true | undefined | null,
): ReadonlyArray<FrameEvidence> => {
  const useful: Array<FrameEvidence> = []
  for (let i = frames.length - 1; i >= 0 && useful.length < MaxFrames; i--) {
    const found = evidence[i]!
    const { colno = 0, lineno = 0 } = frames[i]!
    if (found === null || (wanted !== null && belongsOf(frames[i]!) !== wanted)) continue
    const component = `${found.component}${encode([String(lineno), String(colno)])}`
    if (component === useful.at(-1)?.component) continue
    useful.push({
      component,
      text: lineno === 0 ? found.text : `${found.text}:${lineno}:${colno}`,
      weak: true,
    })
  }
  return useful
}

/** The libraries of a stack in which no frame has a name. */
const librariesOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<FrameEvidence> | null => {
  const useful: Array<FrameEvidence> = []
  for (let i = frames.length - 1; i >= 0 && useful.length < MaxFrames; i--) {
    const frame = frames[i]!
    if (!frame.package || frame.function || isRuntimeLibrary(baseName(frame.package))) continue
    const evidence = libraryEvidence(frame.package)
    if (evidence.component !== useful.at(-1)?.component) useful.push(evidence)
  }
  return useful.length === 0 ? null : useful
}

// Frames repeat often. Two generations bound the memory and keep used entries.
const MaxCachedUnits = 1_500_000
const MaxCachedKeyLength = 1024
let young = new Map<string, FrameEvidence | null>()
let youngUnits = 0
let old = new Map<string, FrameEvidence | null>()

const evidenceOf = (frame: Frame, inScript: boolean): FrameEvidence | null => {
  const file = frame.filename || frame.abs_path || ""
  const isLocalUrl = frame.abs_path?.startsWith("file:") === true
  const library = libraryOf(frame)
  const key = `${inScript ? "s" : "-"}${isLocalUrl ? "l" : "-"}${library}\0${frame.module ?? ""}\0${file}\0${frame.function ?? ""}\0${frame.context_line ?? ""}`
  if (key.length > MaxCachedKeyLength) return makeEvidence(frame, file, library, isLocalUrl, inScript)
  let found = young.get(key)
  if (found !== undefined) return found
  found = old.get(key)
  if (found === undefined) found = makeEvidence(frame, file, library, isLocalUrl, inScript)
  youngUnits += key.length
  if (youngUnits > MaxCachedUnits) {
    old = young
    young = new Map()
    youngUnits = key.length
  }
  young.set(key, found)
  return found
}

const libraryEvidence = (library: string): FrameEvidence => {
  const name = baseName(library)
  return { component: encode(["library", name]), text: shown(name, MaxTextLength), weak: true }
}

const Script = /\.(?:[cm]?[jt]sx?|html?|vue|svelte|jsbundle|bundle)(?:[?#]|$)/

// A minified line is the whole program. JavaScript SDKs mark excerpts of it with `{snip}`.
const MaxContextLength = 200

const contextOf = ({ context_line = "" }: Frame): string => {
  const line = context_line.trim()
  return line.length > MaxContextLength || line.includes("{snip}") ? "" : line.replace(/\s+/g, " ")
}

const makeEvidence = (
  frame: Frame,
  file: string,
  library: string,
  isLocalUrl: boolean,
  inScript: boolean,
): FrameEvidence | null => {
  if (library !== "" && isRuntimeLibrary(baseName(library))) return null
  const isScript = inScript || Script.test(file)
  const rawName = frame.function ?? ""
  const isNative = isNativeFile(file)
  if (isScript && (isNative || rawName === "eval" || rawName === "eval code")) return null
  const module = normalizeModule(frame.module ?? "", isScript)
  const name = isScript ? normalizeScriptFunction(rawName) : normalizeFunction(rawName)
  if (!isScript && isMachinery(module, name, library !== "")) return null
  const place = module !== "" ? module : isNative ? "" : normalizeFile(file, isLocalUrl)
  const context = contextOf(frame)
  if (place === "" && name === "" && context === "") {
    // Symbols of system libraries differ between machines.
    return library === "" || isSystemLibrary(library) ? null : libraryEvidence(library)
  }
  const where = place === "" || name === "" ? place || name : `${place} in ${name}`
  return {
    component: encode([place, name, context]),
    text: shown(context === "" ? where : `${where}: ${context}`, MaxTextLength),
    weak: name === "" && context === "",
  }
}
