/** Reports as the events that a server would receive. */
import { Effect, Layer, Logger } from "effect"
import { eventOf, eventOfMessage } from "../../src/capture.js"
import { Errata, type LoggerOptions, Message, Reporter } from "../../src/index.js"

export interface SentEvent {
  readonly level: string
  readonly transaction?: string
  readonly exception?: {
    readonly values: ReadonlyArray<{
      readonly type: string
      readonly value: string
      readonly mechanism: { readonly handled: boolean }
      readonly stacktrace: { readonly frames: ReadonlyArray<object> }
    }>
  }
  readonly message?: string
  readonly tags: Readonly<Record<string, string>>
  readonly user?: object
  readonly request?: { readonly url: string; readonly method: string }
  readonly contexts: Readonly<Record<string, object>>
  readonly breadcrumbs?: {
    readonly values: ReadonlyArray<{ readonly message: string; readonly level: string }>
  }
}

const about = { eventId: "0".repeat(32), now: 0, root: process.cwd() }

/** The reporter and the logger, and the events that they made. */
export const reporting = (options?: LoggerOptions) => {
  const events: Array<SentEvent> = []
  const reporter = Reporter.layer((thrown, context) => {
    const event =
      thrown instanceof Message
        ? eventOfMessage(thrown.text, context, about)
        : eventOf(thrown, context, about)
    events.push(JSON.parse(JSON.stringify(event)))
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
