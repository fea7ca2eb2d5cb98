import { Effect } from "effect"
import * as Port from "../../../storage-postgres/test/support/port.js"

/** Returns a port that was free a moment ago. */
export const freePort: Effect.Effect<number> = Effect.promise(Port.freePort)
