/** Runs one job at a time. The project that used the least time goes first, and its jobs run in order. */
import type { ProjectId } from "@errata/core"
import { Clock, Deferred, Effect } from "effect"
import { ReadingBudgetUsed } from "./SourceMapEngine.js"

export interface Budget {
  /** Milliseconds of work per project and window. */
  readonly work: number
  /** Length of a window in milliseconds. */
  readonly window: number
}

export class Turns {
  private isBusy = false
  private waiting: ReadonlyArray<Turn> = []
  /** Milliseconds that each project used in this window. */
  private readonly used = new Map<ProjectId, number>()
  private windowEnds = 0

  constructor(private readonly budget: Budget) {}

  /** Waits for the project's turn. Fails if its budget is used up, before or after the wait. */
  in<A>(projectId: ProjectId, work: Effect.Effect<A>): Effect.Effect<A, ReadingBudgetUsed> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        yield* this.withinBudget(projectId)
        const turn = this.enter(projectId)
        yield* Effect.onInterrupt(restore(Deferred.await(turn.begins)), () => this.leave(turn))
        const began = yield* Clock.currentTimeMillis
        return yield* Effect.ensuring(
          restore(Effect.andThen(this.withinBudget(projectId), work)),
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const before = this.used.get(projectId) ?? 0
            const used = before + now - began
            this.used.set(projectId, used)
            this.pass()
            return before < this.budget.work && used >= this.budget.work
              ? Effect.annotateLogs(Effect.logWarning(new ReadingBudgetUsed().message), { projectId })
              : Effect.void
          }),
        )
      }),
    )
  }

  private withinBudget(projectId: ProjectId): Effect.Effect<void, ReadingBudgetUsed> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now >= this.windowEnds) {
        this.windowEnds = now + this.budget.window
        this.used.clear()
      }
      return (this.used.get(projectId) ?? 0) < this.budget.work ? Effect.void : new ReadingBudgetUsed()
    })
  }

  private enter(projectId: ProjectId): Turn {
    const turn = { projectId, begins: Deferred.makeUnsafe<void>() }
    this.waiting = [...this.waiting, turn]
    if (!this.isBusy) this.pass()
    return turn
  }

  private leave(turn: Turn): Effect.Effect<void> {
    return Effect.sync(() => {
      // The turn came at the same moment.
      if (!this.waiting.includes(turn)) return this.pass()
      this.waiting = this.waiting.filter((other) => other !== turn)
    })
  }

  private pass(): void {
    const usedBy = ({ projectId }: Turn) => this.used.get(projectId) ?? 0
    const next = this.waiting.reduce<Turn | null>(
      (best, turn) => (best === null || usedBy(turn) < usedBy(best) ? turn : best),
      null,
    )
    this.isBusy = next !== null
    if (next === null) return
    this.waiting = this.waiting.filter((other) => other !== next)
    Deferred.doneUnsafe(next.begins, Effect.void)
  }
}

// internal

interface Turn {
  readonly projectId: ProjectId
  readonly begins: Deferred.Deferred<void>
}
