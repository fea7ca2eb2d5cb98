/** Logs that errors could not be reported: a line every 10 seconds at most, with their number. */
export class Losses {
  private toldAt = Number.NEGATIVE_INFINITY
  private untold = 0

  constructor(
    private readonly tell: (message: string) => void,
    private readonly now: () => number,
  ) {}

  /** One was not reported. */
  note(failure: Error): void {
    const now = this.now()
    // `abs`: a clock that goes back, as in tests, must not silence the log.
    if (Math.abs(now - this.toldAt) < pauseMillis) {
      this.untold++
      return
    }
    this.sum()
    this.toldAt = now
    this.tell(`An error was not reported: ${failure.message}`)
  }

  /** Logs the number of losses since the last line. */
  sum(): void {
    if (this.untold > 0) this.tell(`Further errors that were not reported: ${this.untold}`)
    this.untold = 0
  }
}

// internal

const pauseMillis = 10_000
