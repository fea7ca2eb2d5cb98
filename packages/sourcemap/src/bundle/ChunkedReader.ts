/** Provides the bytes of a `RandomAccess` to yauzl. */
import { Readable } from "node:stream"
import type { StorageError } from "@errata/core"
import type { RandomAccess } from "@errata/core/ports"
import { Cause, type Context, Effect, Exit, Option } from "effect"
import { RandomAccessReader } from "yauzl"

export class ChunkedReader extends RandomAccessReader {
  readonly #source: RandomAccess
  readonly #read: (offset: number, length: number) => Promise<Uint8Array>
  /** The last chunk, and its position. */
  #window: Uint8Array = new Uint8Array()
  #windowStart = 0
  /** Keeps errors of the storage, because yauzl does not pass on their type. */
  failure: StorageError | null = null

  constructor(source: RandomAccess, context: Context.Context<never>) {
    super()
    this.#source = source
    const runPromiseExit = Effect.runPromiseExitWith(context)
    this.#read = async (offset, length) => {
      const exit = await runPromiseExit(source.read(offset, length))
      if (Exit.isSuccess(exit)) return exit.value
      this.failure = Option.getOrElse(Cause.findErrorOption(exit.cause), () => this.failure)
      throw Cause.squash(exit.cause)
    }
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false })
  }

  /** yauzl reads directories in tiny pieces, which are served from a window. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#windowOf(position, length).then(
      () => {
        const from = position - this.#windowStart
        buffer.set(this.#window.subarray(from, from + length), offset)
        callback(null, length)
      },
      (error: Error) => callback(error),
    )
  }

  async #windowOf(position: number, length: number): Promise<void> {
    const end = position + length
    if (position >= this.#windowStart && end <= this.#windowStart + this.#window.byteLength) return
    this.#assertWithin(position, end)
    const bytes = Math.min(Math.max(length, windowBytes), this.#source.size - position)
    this.#window = await this.#read(position, bytes)
    this.#windowStart = position
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    this.#assertWithin(start, end)
    for (let offset = start; offset < end; offset += pieceBytes) {
      yield await this.#read(offset, Math.min(pieceBytes, end - offset))
    }
  }

  #assertWithin(start: number, end: number): void {
    if (!(start >= 0 && end <= this.#source.size)) throw new Error("unexpected EOF")
  }
}

// internal

const windowBytes = 256 * 1024
const pieceBytes = 1024 * 1024
