/** Writes zips by hand, so that tests can falsify each field. */
import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array | string
  /** True by default. */
  readonly isDeflated?: boolean
  /** Extra fields, in the central directory only. */
  readonly extra?: Uint8Array
  /** False values for the central directory and the local header. */
  readonly lies?: {
    readonly uncompressedSize?: number
    readonly compressedSize?: number
    readonly offset?: number
    readonly method?: number
    readonly flags?: number
  }
}

export interface ZipOptions {
  /** Bytes before the zip. Offsets count them. */
  readonly prefix?: Uint8Array
  readonly entryCount?: number
}

/** `SYSB` and version 2, little-endian. */
export const bundlePrefix: Uint8Array = Buffer.from([0x53, 0x59, 0x53, 0x42, 2, 0, 0, 0])

export const zip = (entries: ReadonlyArray<ZipEntry>, options: ZipOptions = {}): Uint8Array => {
  const parts: Array<Uint8Array> = [options.prefix ?? bundlePrefix]
  let offset = parts[0]!.byteLength
  const directory: Array<Uint8Array> = []
  for (const { content, extra = new Uint8Array(), isDeflated = true, lies = {}, name } of entries) {
    const raw = Buffer.from(content)
    const stored = isDeflated ? deflateRawSync(raw) : raw
    const fileName = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(lies.flags ?? 0, 2)
    common.writeUInt16LE(lies.method ?? (isDeflated ? 8 : 0), 4)
    common.writeUInt32LE(crc32(raw), 10)
    common.writeUInt32LE(lies.compressedSize ?? stored.byteLength, 14)
    common.writeUInt32LE(lies.uncompressedSize ?? raw.byteLength, 18)
    common.writeUInt16LE(fileName.byteLength, 22)
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), common, fileName, stored])
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(20, 4)
    common.copy(central, 6)
    central.writeUInt16LE(extra.byteLength, 30)
    central.writeUInt32LE(lies.offset ?? offset, 42)
    directory.push(central, fileName, extra)
    parts.push(local)
    offset += local.byteLength
  }
  const directoryBytes = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(options.entryCount ?? entries.length, 8)
  end.writeUInt16LE(options.entryCount ?? entries.length, 10)
  end.writeUInt32LE(directoryBytes.byteLength, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directoryBytes, end])
}

/** Returns a manifest for files keyed by entry name. */
export const manifest = (files: Readonly<Record<string, unknown>>, rest: object = {}): string =>
  JSON.stringify({ files, ...rest })
