/** What may be said of a single call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
