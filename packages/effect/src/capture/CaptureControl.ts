/** Decides which errors are reported, and lets the application change their events. */
import type { CaptureEvent } from "./CaptureEvent.js"
import { partsOf } from "./EffectCause.js"
import { stackOf, titleOf } from "./ErrorTitle.js"
import { Repeats } from "./Repeats.js"

/** A class of errors. */
export type ErrorClass = abstract new (...args: never) => object

/** The options that change or drop reports. */
export interface CaptureControlOptions {
  /**
   * Changes an event before it is stored, or drops it by returning null. It may be asynchronous, for at most 2 seconds.
   * If it throws, takes longer or returns anything else, the event is not stored and `capture` rejects.
   */
  readonly beforeCapture?:
    | ((
        event: CaptureEvent,
        hint: { readonly originalException: unknown },
      ) => CaptureEvent | null | Promise<CaptureEvent | null>)
    | undefined
  /** Errors that are not stored: parts of `Type: message`, patterns for it, or classes. */
  readonly ignoreErrors?: ReadonlyArray<string | RegExp | ErrorClass> | undefined
  /** The share of errors that are stored, from 0 to 1. 1 by default. Fatal errors are always stored. */
  readonly sampleRate?: number | undefined
  /** Maximum number of equal errors per second. Default: 10; `Infinity` for all. Fatal errors are always stored. */
  readonly maxRepeatsPerSecond?: number | undefined
}

/** The reason why an error is not stored. */
export type Drop = "ignored" | "sampled" | "repeated"

/** The options at work. */
export class CaptureControl {
  private readonly repeats: Repeats

  constructor(
    private readonly options: CaptureControlOptions,
    private readonly random: () => number = Math.random,
    now: () => number = () => performance.now(),
    private readonly timeout = hookMillis,
  ) {
    this.repeats = new Repeats(options.maxRepeatsPerSecond ?? defaultRepeats, now)
  }

  get changesEvents(): boolean {
    return this.options.beforeCapture !== undefined
  }

  isIgnored(thrown: unknown): boolean {
    const { ignoreErrors = [] } = this.options
    if (ignoreErrors.length === 0) return false
    const error = partsOf(thrown).errors[0]
    const { type, value } = titleOf(error)
    const title = value === "" ? type : `${type}: ${value}`
    return ignoreErrors.some((pattern) => {
      if (typeof pattern === "string") return title.includes(pattern)
      // `search` ignores `lastIndex`, unlike `test` with the flag g.
      return pattern instanceof RegExp ? title.search(pattern) !== -1 : error instanceof pattern
    })
  }

  /** Returns the reason to leave out an error that is not fatal. */
  leftOut(thrown: unknown): Exclude<Drop, "ignored"> | null {
    const { sampleRate = 1 } = this.options
    if (sampleRate < 1 && this.random() >= sampleRate) return "sampled"
    return this.repeats.isTooMany(kindOf(partsOf(thrown).errors[0])) ? "repeated" : null
  }

  /** The event that the application returns, or null. */
  async changed(event: CaptureEvent, thrown: unknown): Promise<CaptureEvent | null> {
    const { beforeCapture } = this.options
    if (beforeCapture === undefined) return event
    const changed: unknown = await within(this.timeout, () =>
      beforeCapture(event, { originalException: thrown }),
    )
    if (changed === null) return null
    if (typeof changed !== "object") throw new TypeError("It must return the event, or null to drop it")
    // Throws for values without a JSON form.
    JSON.stringify(changed)
    // The caller of capture gets this id.
    return { ...(changed as CaptureEvent), event_id: event.event_id }
  }
}

// internal

const hookMillis = 2_000
const defaultRepeats = 10

const kindOf = (error: unknown): string => {
  const { type, value } = titleOf(error)
  return stackOf(error) || `${type}: ${value}`
}

const within = async <A>(millis: number, work: () => A | Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${millis} ms`)), millis)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
