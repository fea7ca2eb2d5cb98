/**
 * Texts encoded one behind the other into large buffers. What is encoded lives outside the collector's heap, where
 * megabytes that wait for a transaction cost nothing to keep.
 */
export class Utf8Slab {
  private readonly encoder = new TextEncoder()
  private slab = new Uint8Array(0)
  private end = 0

  /** The text in UTF-8, as a view that is never written again. */
  encode(text: string): Uint8Array {
    // A UTF-16 unit is three bytes at most; few are.
    if (this.slab.length - this.end < text.length * 3) {
      this.slab = new Uint8Array(Math.max(slabBytes, text.length * 3))
      this.end = 0
    }
    const start = this.end
    this.end += this.encoder.encodeInto(text, this.slab.subarray(start)).written
    return this.slab.subarray(start, this.end)
  }
}

// internal

const slabBytes = 256 * 1024
