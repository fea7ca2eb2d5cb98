/** The last lines of the log before an error, for each request, job or fiber. */
import { type Fiber, Option, type Tracer } from "effect"
import type { CaptureBreadcrumb } from "./capture.js"

export class Breadcrumbs {
  private readonly lists = new WeakMap<object, Array<CaptureBreadcrumb>>()

  add(fiber: Fiber.Fiber<unknown, unknown>, breadcrumb: CaptureBreadcrumb): void {
    const owner = ownerOf(fiber)
    const list = this.lists.get(owner)
    if (list === undefined) this.lists.set(owner, [breadcrumb])
    else if (list.push(breadcrumb) > maxBreadcrumbs) list.shift()
  }

  of(fiber: Fiber.Fiber<unknown, unknown>): ReadonlyArray<CaptureBreadcrumb> {
    return this.lists.get(ownerOf(fiber))?.slice() ?? []
  }
}

/** Returns the span of the request or job that a fiber works on: its outermost span of this process, if it has one. */
export const workOf = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.Span | undefined => {
  let found: Tracer.Span | undefined
  for (let span = fiber.cache.span; span?._tag === "Span"; span = Option.getOrUndefined(span.parent)) {
    found = span
    // A program may have its own span around all requests.
    if (span.kind === "server" || span.kind === "consumer") break
  }
  return found
}

// internal

const maxBreadcrumbs = 100

const ownerOf = (fiber: Fiber.Fiber<unknown, unknown>): object => workOf(fiber) ?? fiber
