/** Events that a client discarded, by reason and category. */
export interface DiscardedEvents {
  readonly reason: string
  readonly category: string
  readonly quantity: number
}
