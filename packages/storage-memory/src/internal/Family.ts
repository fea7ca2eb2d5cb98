/** Parts of one kind by the id of what they belong to, made when they are first written. */
export class Family<P> {
  private readonly parts = new Map<number, P>()

  constructor(private readonly make: () => P) {}

  /** For reading; there is none where nothing was ever written. */
  get(id: number): P | undefined {
    return this.parts.get(id)
  }

  /** For writing. */
  of(id: number): P {
    let part = this.parts.get(id)
    if (part === undefined) {
      part = this.make()
      this.parts.set(id, part)
    }
    return part
  }
}
