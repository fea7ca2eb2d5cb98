/** Events that honest senders sent, and the responses. */

/** Without a response: `refused` (no connection), `broken` (the connection broke) or `silent` (timeout). */
export type Answered = number | "refused" | "broken" | "silent"

export interface Ledger {
  readonly sent: ReadonlySet<string>
  readonly accepted: ReadonlySet<string>
  readonly answers: ReadonlyMap<Answered, number>
  /** Responses with a retryable status but without `Retry-After`. */
  readonly withoutRetryAfter: () => number
  readonly send: (id: string) => void
  readonly answer: (id: string, answered: Answered, retryAfter?: string) => void
  /** The longest time in ms from a rejection to the next acceptance, or to the last response. */
  readonly longestOutage: () => number
  /** The longest time in ms that a response took, whatever its status. */
  readonly longestWait: () => number
}

export const make = (): Ledger => {
  const sent = new Set<string>()
  const accepted = new Set<string>()
  const answers = new Map<Answered, number>()
  let withoutRetryAfter = 0
  let failingSince: number | null = null
  let longest = 0
  let lastAt = 0
  const sentAt = new Map<string, number>()
  let longestWait = 0
  return {
    sent,
    accepted,
    answers,
    withoutRetryAfter: () => withoutRetryAfter,
    send: (id) => {
      sent.add(id)
      sentAt.set(id, performance.now())
    },
    answer: (id, answered, retryAfter) => {
      answers.set(answered, (answers.get(answered) ?? 0) + 1)
      const now = performance.now()
      lastAt = now
      longestWait = Math.max(longestWait, now - (sentAt.get(id) ?? now))
      sentAt.delete(id)
      if (answered === 200) {
        accepted.add(id)
        if (failingSince !== null) longest = Math.max(longest, now - failingSince)
        failingSince = null
      } else {
        failingSince ??= now
        if ((answered === 503 || answered === 429) && retryAfter === undefined) withoutRetryAfter++
      }
    },
    longestWait: () => Math.round(longestWait),
    longestOutage: () => Math.round(Math.max(longest, failingSince === null ? 0 : lastAt - failingSince)),
  }
}

/** Number of responses that match. */
export const countOf = (ledgers: ReadonlyArray<Ledger>, matches: (answered: Answered) => boolean): number => {
  let count = 0
  for (const { answers } of ledgers) {
    for (const [answered, times] of answers) if (matches(answered)) count += times
  }
  return count
}

export const isFault = (answered: Answered): boolean =>
  typeof answered === "number" && answered >= 500 && answered !== 503
