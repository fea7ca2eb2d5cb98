/** State parts by the id of their owner, created on the first write. */
export class Family<P> {
  private readonly parts = new Map<number, P>()

  constructor(private readonly make: () => P) {}

  /** For reads; undefined if nothing was written. */
  get(id: number): P | undefined {
    return this.parts.get(id)
  }

  /** For writes. */
  of(id: number): P {
    let part = this.parts.get(id)
    if (part === undefined) {
      part = this.make()
      this.parts.set(id, part)
    }
    return part
  }
}
