/** Figures of a scenario and the invariants that did not hold. */

export type Figure = number | string | null

export interface Findings {
  readonly figures: Readonly<Record<string, Figure>>
  /** One sentence for each invariant that did not hold. */
  readonly broken: ReadonlyArray<string>
  /** Number of checks of invariants. */
  readonly checked: number
  readonly count: (name: string, by?: number) => void
  readonly most: (name: string, value: number) => void
  readonly set: (name: string, value: Figure) => void
  readonly check: (holds: boolean, otherwise: () => string) => void
}

export const make = (): Findings => {
  const figures: Record<string, Figure> = {}
  const broken: Array<string> = []
  let checked = 0
  const numberOf = (name: string) => (typeof figures[name] === "number" ? figures[name] : 0)
  return {
    figures,
    broken,
    get checked() {
      return checked
    },
    count: (name, by = 1) => {
      figures[name] = numberOf(name) + by
    },
    most: (name, value) => {
      figures[name] = Math.max(numberOf(name), value)
    },
    set: (name, value) => {
      figures[name] = value
    },
    check: (holds, otherwise) => {
      checked++
      if (!holds) broken.push(otherwise())
    },
  }
}

/** The median; the lower of two, so that it is a measured value. */
export const middle = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0
