/** A storage in memory that fails on demand. */
import { type Services, StorageError } from "@errata/core"
import { PendingPayloads as Pending, type PendingPayloads, ProjectStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Context, Effect, Layer } from "effect"
import { until } from "./until.js"

export interface Failing {
  /** Behavior of the next calls. */
  mode: "work" | "unavailable" | "rejected" | "throw" | "wait"
  /** The promise that calls wait for in mode `wait`, and the number of waiting calls. */
  gate?: Promise<void>
  waiting?: number
}

/** Makes later calls wait. */
export const closeGate = (failing: Failing) => {
  let release = () => {}
  failing.gate = new Promise((resolve) => {
    release = resolve
  })
  failing.waiting = 0
  failing.mode = "wait"
  return {
    open: () => {
      failing.mode = "work"
      release()
    },
    /** Resolves when this many calls wait. */
    waiting: (count: number) => until(() => failing.waiting === count, `${count} calls waiting`),
  }
}

/** The list of projects and the queue behave as `failing` says. */
export const layer = (failing: Failing): Layer.Layer<Services.Stores> =>
  Layer.effectContext(
    Effect.map(MemoryStorage.make, (context) => {
      const projects = Context.get(context, ProjectStore)
      const pending = Context.get(context, Pending)
      return context.pipe(
        Context.add(ProjectStore, {
          ...projects,
          list: (options, page) => disturbed(failing, () => projects.list(options, page)),
        }),
        Context.add(Pending, {
          ...pending,
          append: (payloads) => disturbed(failing, () => pending.append(payloads)),
        } satisfies PendingPayloads["Service"]),
      )
    }),
  )

// internal

const disturbed = <A>(
  failing: Failing,
  work: () => Effect.Effect<A, StorageError>,
): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    switch (failing.mode) {
      case "work":
        return work()
      case "unavailable":
      case "rejected":
        return new StorageError({
          operation: "secret operation",
          reason: failing.mode,
          cause: new Error("secret cause"),
        })
      case "throw":
        throw new Error("secret defect")
      case "wait":
        failing.waiting = (failing.waiting ?? 0) + 1
        return Effect.andThen(
          Effect.promise(() => failing.gate ?? Promise.resolve()),
          work(),
        )
    }
  })
