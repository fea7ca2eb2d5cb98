/** The zip of a bundle: its directory, which is checked before anything is read, and its entries. */
import type { StorageError } from "@errata/core"
import { type BundleLimits, BundleUnreadable, type RandomAccess } from "@errata/core/ports"
import { Effect, type Scope } from "effect"
import { type Entry, fromRandomAccessReader, type ZipFile } from "yauzl"
import { ChunkedReader } from "./ChunkedReader.js"

export interface Archive {
  /** Entries by name. */
  readonly entries: ReadonlyMap<string, Entry>
  readonly content: (entry: Entry) => Effect.Effect<Uint8Array, BundleUnreadable | StorageError>
}

/** Opens an archive. Offsets include the bundle's prefix, which is part of the zip. */
export const open = (
  source: RandomAccess,
  { maxFiles }: Pick<BundleLimits, "maxFiles">,
): Effect.Effect<Archive, BundleUnreadable | StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const reader = new ChunkedReader(source, yield* Effect.context<never>())

    const failed = (error: Error): BundleUnreadable | StorageError =>
      reader.failure ??
      unreadable(`The archive cannot be read: ${error.message.slice(0, maxMessageCharacters)}`)

    const zip = yield* Effect.acquireRelease(
      Effect.callback<ZipFile, BundleUnreadable | StorageError>((resume) => {
        const options = { autoClose: false, lazyEntries: true, decodeStrings: false }
        // yauzl throws for some invalid archives.
        try {
          fromRandomAccessReader(reader, source.size, options, (error, opened) => {
            if (error !== null) resume(Effect.fail(failed(error)))
            else resume(Effect.succeed(opened))
          })
        } catch (error) {
          resume(Effect.fail(failed(error as Error)))
        }
      }),
      (opened) => Effect.sync(() => opened.close()),
    )
    const directoryStart = cursorOf(zip)
    // The end record and its comment are small, so the rest of the file is the directory.
    if (source.size - directoryStart > maxDirectoryBytes) {
      return yield* unreadable(`The archive's directory is larger than ${maxDirectoryBytes} bytes`)
    }
    // One more for the manifest.
    if (zip.entryCount > maxFiles + 1) return yield* unreadable(`The bundle has more than ${maxFiles} files`)
    const list = yield* entriesOf(zip, reader, failed)
    const entries = new Map<string, Entry>()
    for (const entry of list) {
      const name = nameOf(entry)
      if (entries.has(name)) return yield* unreadable(`The archive has two entries named ${shown(name)}`)
      entries.set(name, entry)
    }
    const overlapping = firstOverlap(list, directoryStart)
    if (overlapping !== null) {
      return yield* unreadable(`The archive's entry ${shown(nameOf(overlapping))} overlaps the next entry`)
    }

    const content = (entry: Entry) =>
      Effect.callback<Uint8Array, BundleUnreadable | StorageError>((resume) => {
        const pieces: Array<Buffer> = []
        let cancel = () => {}
        zip.openReadStream(entry, (error, stream) => {
          if (error !== null) {
            resume(Effect.fail(failed(error)))
            return
          }
          cancel = () => stream.destroy()
          stream.on("data", (piece: Buffer) => pieces.push(piece))
          stream.on("error", (cause: Error) => resume(Effect.fail(failed(cause))))
          stream.on("end", () => resume(Effect.sync(() => Buffer.concat(pieces))))
        })
        return Effect.sync(() => cancel())
      })

    return { entries, content }
  })

// internal

const maxMessageCharacters = 200

const unreadable = (reason: string): BundleUnreadable => new BundleUnreadable({ reason })

const shown = (name: string): string => JSON.stringify(name.slice(0, 200))

/** A directory of 50,000 entries with long names is about 10 MB. */
const maxDirectoryBytes = 16 * 1024 * 1024

/** Zip64 sizes, times and owners take less than 100 bytes. */
const maxExtraBytes = 256

/** Number of entries to parse before yielding the thread. */
const entriesPerTurn = 256

/** A number, although its type differs. */
const cursorOf = (zip: ZipFile): number => Number(zip.readEntryCursor)

const entriesOf = (
  zip: ZipFile,
  reader: ChunkedReader,
  failed: (error: Error) => BundleUnreadable | StorageError,
): Effect.Effect<ReadonlyArray<Entry>, BundleUnreadable | StorageError> =>
  Effect.callback((resume) => {
    const entries: Array<Entry> = []
    const refuse = (reason: string) => resume(Effect.fail(unreadable(reason)))
    const next = () => {
      if (entries.length === zip.entryCount) return zip.readEntry()
      const header = Buffer.alloc(directoryHeaderBytes)
      // yauzl creates an object per extra field, so limit their length before it reads them.
      reader.read(header, 0, header.byteLength, cursorOf(zip), (error) => {
        if (error !== null) resume(Effect.fail(failed(error)))
        else if (header.readUInt16LE(extraLengthOffset) > maxExtraBytes) {
          refuse(`The archive has an entry with more than ${maxExtraBytes} bytes of extra fields`)
        } else zip.readEntry()
      })
    }
    zip.on("entry", (entry: Entry) => {
      const problem = problemOf(entry)
      if (problem !== null) return refuse(problem)
      // Unused, and they take far more memory than bytes.
      entry.extraFields = []
      entries.push(entry)
      if (entries.length % entriesPerTurn === 0) setImmediate(next)
      else next()
    })
    zip.on("end", () => resume(Effect.succeed(entries)))
    zip.on("error", (error: Error) => resume(Effect.fail(failed(error))))
    next()
  })

/** Size of a directory header without name, extra fields and comment, and the offset of the extra fields' length. */
const directoryHeaderBytes = 46
const extraLengthOffset = 30

/** Always UTF-8: archives often lack the flag that says so. */
const nameOf = (entry: Entry): string => entry.fileNameRaw.toString("utf8")

const problemOf = (entry: Entry): string | null => {
  const name = nameOf(entry)
  if (
    name === "" ||
    name.startsWith("/") ||
    name.includes("\\") ||
    name.includes("\0") ||
    name.split("/").includes("..")
  ) {
    return `The archive's entry ${shown(name)} has a name that is not allowed`
  }
  if (entry.isEncrypted()) return `The archive's entry ${shown(name)} is encrypted`
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    return `The archive's entry ${shown(name)} is compressed by a method that is not supported`
  }
  return null
}

/** Minimum size of a local header, without the name. */
const localHeaderBytes = 30

/** Finds an entry that overlaps another one or the directory, so that one content cannot count as many. */
const firstOverlap = (entries: ReadonlyArray<Entry>, directoryStart: number): Entry | null => {
  const sorted = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  for (const [index, entry] of sorted.entries()) {
    const end =
      entry.relativeOffsetOfLocalHeader +
      localHeaderBytes +
      entry.fileNameRaw.byteLength +
      entry.compressedSize
    const next = sorted[index + 1]?.relativeOffsetOfLocalHeader ?? directoryStart
    if (end > next) return entry
  }
  return null
}
