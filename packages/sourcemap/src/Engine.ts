/** The engine that maps the frames of reports. */
import { SourceMapEngine } from "@errata/core"
import { Layer } from "effect"
import { pathOf } from "./FramePath.js"
import { resolveFrames } from "./FrameResolver.js"
import { ScriptFunctions } from "./ScriptFunctions.js"
import { SourceMapFile } from "./SourceMapFile.js"
import { SourceTexts } from "./SourceTexts.js"

/** Reads maps and resolves with them. Keeps no map; of the texts of sources it keeps those that were looked into last. */
export const layer: Layer.Layer<SourceMapEngine> = Layer.sync(SourceMapEngine, () => {
  const texts = new SourceTexts(maxTexts)
  return {
    read: SourceMapFile.read,
    readScript: (code, map) => (map instanceof SourceMapFile ? ScriptFunctions.read(code, map) : null),
    pathOf,
    resolve: (frames, scriptOf, isOver) => resolveFrames(frames, scriptOf, isOver, texts.forStack()),
  }
})

// internal

/** Bytes. */
const maxTexts = 16 * 1024 * 1024
