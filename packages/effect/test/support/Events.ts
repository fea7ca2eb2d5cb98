/** Reports as the events that a server would receive. */
import { Effect, Layer, Logger } from "effect"
import { eventOf } from "../../src/capture.js"
import { Errata, type LoggerOptions, Reporter } from "../../src/index.js"

export interface SentEvent {
  readonly level: string
  readonly transaction?: string
  readonly exception?: {
    readonly values: ReadonlyArray<{
      readonly type: string
      readonly value: string
      readonly mechanism: { readonly handled: boolean }
    }>
  }
  readonly logentry?: { readonly formatted: string }
  readonly tags?: ReadonlyArray<readonly [string, string]>
  readonly user?: object
  readonly request?: { readonly url: string; readonly method: string }
  readonly contexts: Readonly<Record<string, object>>
  readonly breadcrumbs?: {
    readonly values: ReadonlyArray<{ readonly message: string; readonly level: string }>
  }
}

const about = { eventId: "0".repeat(32), now: 0, maxBytes: 1_000_000, root: process.cwd() }

/** The reporter and the logger, and the events that they made. */
export const reporting = (options?: LoggerOptions) => {
  const events: Array<SentEvent> = []
  const reporter = Reporter.layer((thrown, context) => {
    events.push(JSON.parse(eventOf(thrown, context, about).toString()))
  })
  const layer = Layer.provideMerge(Layer.merge(Errata.errorReporter, Errata.logger(options)), reporter)
  return { events, layer }
}

/** The events of a program, however it ends. */
export const eventsOf = async <A, E>(
  program: Effect.Effect<A, E, Reporter>,
  options?: LoggerOptions,
): Promise<ReadonlyArray<SentEvent>> => {
  const { events, layer } = reporting(options)
  await Effect.runPromise(program.pipe(Effect.exit, Effect.provide(layer), Effect.provide(Logger.layer([]))))
  return events
}

/** From the cause to the error that was thrown. */
export const errorsOf = ({ exception }: SentEvent) =>
  exception?.values.map(({ type, value }) => `${type}: ${value}`)

export const textsOf = ({ breadcrumbs }: SentEvent) => breadcrumbs?.values.map(({ message }) => message)
