/**
 * Texts encoded one behind the other into one large buffer, outside the collector's heap: there the megabytes that wait
 * for a transaction cost nothing to keep. The buffer is used again, because making and dropping one for every batch
 * sets the collector off as well.
 */
export class Utf8Slab {
  private readonly encoder = new TextEncoder()
  private slab = new Uint8Array(firstBytes)
  private end = 0

  /** The text in UTF-8, as a view that holds until the slab is cleared. */
  encode(text: string): Uint8Array {
    // A UTF-16 unit is three bytes at most; few are.
    const room = text.length * 3
    if (this.slab.length - this.end < room) {
      // Views of the former buffer keep it.
      this.slab = new Uint8Array(Math.max(this.slab.length * 2, room))
      this.end = 0
    }
    const start = this.end
    this.end += this.encoder.encodeInto(text, this.slab.subarray(start)).written
    return this.slab.subarray(start, this.end)
  }

  /** Lets the buffer be written from its beginning again. */
  clear(): void {
    this.end = 0
    if (this.slab.length > maxKeptBytes) this.slab = new Uint8Array(firstBytes)
  }
}

// internal

const firstBytes = 1024 * 1024
const maxKeptBytes = 8 * 1024 * 1024
