/** Caches mapped stacks for recorders, because the maps of one event can be larger than the cache of maps. */

import { createHash } from "node:crypto"
import { BoundedCache } from "@errata/core/internal"
import type { InspectedEvent } from "@errata/core/ports"
import { Duration } from "effect"

interface Entry<A> {
  readonly mapped: A
  readonly until: number
}

/** Keyed by project, release and stacks, so that events of one error share an entry. */
export class PreparedStacks<A extends { readonly frames: Uint8Array | null }> {
  private readonly entries: BoundedCache<string, Entry<A>>
  private readonly life: number

  constructor(life: Duration.Duration, bytes: number) {
    this.entries = new BoundedCache(bytes)
    this.life = Duration.toMillis(life)
  }

  get(item: InspectedEvent, now: number): A | null {
    if (this.entries.weight === 0) return null
    const known = this.entries.get(keyOf(item))
    return known !== undefined && known.until > now ? known.mapped : null
  }

  set(item: InspectedEvent, mapped: A, now: number): void {
    const weight = overhead + (mapped.frames?.byteLength ?? 0)
    this.entries.set(keyOf(item), { mapped, until: now + this.life }, weight)
  }
}

// internal

const keyOf = ({ event, projectId, scripts, stacks }: InspectedEvent): string =>
  createHash("sha256")
    .update(JSON.stringify([projectId, event.release, event.details.dist, scripts, stacks]))
    .digest("base64")

/** Bytes of an entry besides its frames. */
const overhead = 1024
