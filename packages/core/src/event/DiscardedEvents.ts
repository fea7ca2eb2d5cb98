/** Events that a client did not send, and why. */
export interface DiscardedEvents {
  readonly reason: string
  readonly category: string
  readonly quantity: number
}
