/** One kind of fault: a scenario starts what it needs, causes the fault, and checks the invariants. */
import type { Chance } from "./lib/Chance.js"
import type { Cleanup } from "./lib/Cleanup.js"
import type { Findings } from "./lib/Findings.js"
import type { Storage, StorageKind } from "./lib/Storage.js"

/** `short` is for every run of the tests, `full` for `npm run torture`. */
export type Size = "short" | "full"

export interface Setting {
  /** The built command. */
  readonly bin: string
  readonly kind: StorageKind
  readonly size: Size
  readonly chance: Chance
  /** Envelopes and events as applications send them. */
  readonly samples: ReadonlyArray<Buffer>
  readonly findings: Findings
  /** Ends with the scenario. */
  readonly cleanup: Cleanup
  /** Creates an empty storage of the kind for this scenario alone. */
  readonly storage: () => Promise<Storage>
  /** The next eight hexadecimal digits of event ids. */
  readonly source: () => string
}

export interface Scenario {
  readonly name: string
  readonly kinds: ReadonlyArray<StorageKind>
  /** Only measures, for `--figures`; not part of runs with a verdict. */
  readonly isFigure?: boolean
  /** Throws `NotRun` if this machine does not allow it. */
  readonly run: (setting: Setting) => Promise<void>
}

/** The machine does not allow the scenario, for the reason in the message. */
export class NotRun extends Error {
  override readonly name = "NotRun"
}
