/** Jobs of the thread: work whose time grows with the size of uploads. */
import { type Manifest, type ManifestFault, parse } from "./bundle/Manifest.js"
import { FunctionTable } from "./FunctionTable.js"
import { Mappings } from "./Mappings.js"
import { ScriptFunctions } from "./ScriptFunctions.js"
import { type MapFault, SourceMapFile } from "./SourceMapFile.js"
import { type TextTables, tablesOf } from "./SourceText.js"
import type { TextToRead } from "./SourceTexts.js"

export type Job =
  /** JSON in UTF-8. */
  | { readonly kind: "map"; readonly bytes: Uint8Array }
  /** A script in UTF-8, with the mappings and names of its map. */
  | {
      readonly kind: "script"
      readonly bytes: Uint8Array
      readonly map: Pick<SourceMapFile, "mappings" | "names">
    }
  | { readonly kind: "text"; readonly text: TextToRead }
  /** A bundle's manifest in UTF-8. */
  | { readonly kind: "manifest"; readonly bytes: Uint8Array; readonly maxFiles: number }

export interface Answers {
  readonly map: SourceMapFile | MapFault
  readonly script: ScriptFunctions
  readonly text: TextTables
  readonly manifest: Manifest | ManifestFault
}

export type Answer = Answers[Job["kind"]]

export const run = (job: Job): Answer => {
  switch (job.kind) {
    case "map":
      return SourceMapFile.read(job.bytes)
    case "script":
      return ScriptFunctions.read(job.bytes, job.map)
    case "text":
      return tablesOf(job.text.content, job.text.dialects)
    case "manifest":
      return parse(job.bytes, job)
  }
}

/** Returns the buffers of an answer that can be transferred to another thread. */
export const tablesOfMap = (answer: Answer): ReadonlyArray<ArrayBuffer> =>
  answer instanceof SourceMapFile ? answer.mappings.buffers : []

/** Restores the methods of a job from another thread. */
export const revivedJob = (job: Job): Job => {
  if (job.kind === "script") Mappings.revived(job.map.mappings)
  return job
}

/** Restores the methods of an answer from another thread. */
export const revivedAnswer = (kind: Job["kind"], answer: Answer): Answer => {
  if (kind === "script") return ScriptFunctions.revived(answer as ScriptFunctions)
  if (kind === "map") return "code" in answer ? answer : SourceMapFile.revived(answer as SourceMapFile)
  if (kind === "manifest") return answer
  const { functions } = answer as TextTables
  if (functions !== null) FunctionTable.revived(functions)
  return answer
}
