/** Reads artifact bundles of build tools: a zip with a manifest, with or without a prefix. */
import { type BundleFile, BundleReader, BundleUnreadable } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import * as ReadingThread from "./ReadingThread.js"

/**
 * Trusts nothing: checks the directory, the manifest and all declared sizes before it reads a file, and holds each file
 * to its declared size. Names are keys, never paths.
 */
export const make = (thread: ReadingThread.ReadingThread): typeof BundleReader.Service => ({
  open: Effect.fn("BundleReader.open")(function* (source, limits) {
    // The zip reader is loaded with the first bundle, because few processes need it.
    const Archive = yield* Effect.promise(() => import("./bundle/Archive.js"))
    const archive = yield* Archive.open(source, limits)
    const entry = archive.entries.get("manifest.json")
    if (entry === undefined) return yield* unreadable("The bundle has no manifest.json")
    if (entry.uncompressedSize > limits.maxManifestBytes) {
      return yield* unreadable(`manifest.json is larger than ${limits.maxManifestBytes} bytes`)
    }
    const { maxFiles } = limits
    const manifest = yield* thread.run({ kind: "manifest", bytes: yield* archive.content(entry), maxFiles })
    if (manifest === null) return yield* unreadable("manifest.json takes too long to read")
    if ("fault" in manifest) return yield* unreadable(`manifest.json ${manifest.fault}`)
    const files: Array<BundleFile> = []
    let total = 0
    for (const { entry: name, ...file } of manifest.files) {
      const found = archive.entries.get(name)
      if (found === undefined) {
        return yield* unreadable(`manifest.json names ${shown(name)}, which is not in the bundle`)
      }
      const size = found.uncompressedSize
      if (size > limits.maxFileBytes) {
        return yield* unreadable(`The file ${shown(name)} is larger than ${limits.maxFileBytes} bytes`)
      }
      total += size
      if (total > limits.maxTotalBytes) {
        return yield* unreadable(`The files of the bundle are larger than ${limits.maxTotalBytes} bytes`)
      }
      files.push({ ...file, size, content: archive.content(found) })
    }
    return { files, note: manifest.note }
  }),
})

/** Reads bundles in ZIP files. */
export const layer: Layer.Layer<never> = Layer.effect(BundleReader, Effect.map(ReadingThread.fromBuild, make))

// internal

const unreadable = (reason: string) => new BundleUnreadable({ reason })

const shown = (name: string): string => JSON.stringify(name.slice(0, 200))
