/** The handlers of the contract for calls within the process. They are those of the server, without its stack. */
import type { Services } from "@errata/core"
import { type Context, Effect } from "effect"
import type { RequestBodies } from "./AuthorizedBody.js"
import type { BodyRequest } from "./BodyRequest.js"
import { handlers as byGroup } from "./Handlers.js"

/** The decoded parts of a call. */
export interface CalledWith {
  readonly params: unknown
  readonly query: unknown
  readonly request: BodyRequest
}

export type CalledHandler = (call: CalledWith) => Effect.Effect<unknown, unknown, RequestBodies>

/** Returns the handlers of a group, which are built at its first call. */
export const make = (services: Context.Context<Services.Services>) => {
  const built = new Map<string, Readonly<Record<string, CalledHandler>>>()
  return (group: string): Readonly<Record<string, CalledHandler>> => {
    const known = built.get(group)
    if (known !== undefined) return known
    const handlers = new CollectedHandlers()
    Effect.runSyncWith(services)(makers[group]!(handlers as never))
    built.set(group, handlers.named)
    return handlers.named
  }
}

// internal

/** The part of the handler collection that handlers use. */
class CollectedHandlers {
  readonly named: Record<string, CalledHandler> = {}

  handle(name: string, handler: CalledHandler): this {
    this.named[name] = handler
    return this
  }

  handleRaw(name: string, handler: CalledHandler): this {
    return this.handle(name, handler)
  }
}

const makers: Readonly<
  Record<string, (handlers: never) => Effect.Effect<unknown, never, Services.Services>>
> = byGroup
