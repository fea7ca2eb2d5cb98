/**
 * Metrics of Errata in Effect's registry, where an embedding application finds them among its own. Each series is
 * created once and updated by a plain call. An Effect or a set of labels per event would cost more than all counting
 * here.
 */
import { Context, Metric } from "effect"
import { type MetricDescription, metricTable } from "./MetricTable.js"

export type Count = (amount: number) => void
export type Observe = (seconds: number) => void

const seconds = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  Number.POSITIVE_INFINITY,
]

export const ingestAccepted = countOf(metricTable.ingestAccepted)
export const ingestRefused = byLabel("reason", (labels) => countOf(metricTable.ingestRefused, labels))
export const payloadsAccepted = countOf(metricTable.payloadsAccepted)
export const payloadBytesAccepted = countOf(metricTable.payloadBytesAccepted)
export const intakeWrite = observationOf(metricTable.intakeWrite)
export const intakeFailures = countOf(metricTable.intakeFailures)
export const httpRequests = byLabel("status", (labels) => observationOf(metricTable.httpRequests, labels))

/** Metrics of the thread that records, which may not be the main thread. */
export const recorder = lazily(() => ({
  payloadsRecorded: countOf(metricTable.payloadsRecorded),
  deadLettersTotal: countOf(metricTable.deadLettersTotal),
  recording: observationOf(metricTable.recording),
  recordingFailures: countOf(metricTable.recordingFailures),
}))

/** Metrics of webhook deliveries. */
export const sending = lazily(() => {
  const countOutcome = (outcome: string) => countOf(metricTable.webhookAttempts, { outcome })
  return {
    /** By the delivery's state after an attempt. A pending delivery will be retried. */
    attempts: {
      succeeded: countOutcome("succeeded"),
      pending: countOutcome("retried"),
      failed: countOutcome("failed"),
    },
    attempt: observationOf(metricTable.webhookAttempt),
  }
})

/** Sets a gauge. */
export const connections = byLabel("state", (labels) => gaugeOf(metricTable.connections, labels))

// internal

type Labels = Readonly<Record<string, string>>

function lazily<A>(make: () => A): () => A {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** One series per value of a label with few values. */
function byLabel<A>(label: string, make: (labels: Labels) => A): (value: string) => A {
  const series = new Map<string, A>()
  return (value) => {
    let found = series.get(value)
    if (found === undefined) {
      found = make({ [label]: value })
      series.set(value, found)
    }
    return found
  }
}

function countOf({ help, name }: MetricDescription, attributes: Labels = {}): Count {
  const count = updateOf(Metric.counter(name, { description: help, incremental: true, attributes }))
  // The series exists before the first count, because a missing series looks like 0.
  count(0)
  return count
}

function gaugeOf({ help, name }: MetricDescription, attributes: Labels): Count {
  return updateOf(Metric.gauge(name, { description: help, attributes }))
}

function observationOf({ help, name }: MetricDescription, attributes: Labels = {}): Observe {
  return updateOf(Metric.histogram(name, { description: help, attributes, boundaries: seconds }))
}

/** Updates the registry of the process, outside of any fiber. */
function updateOf<State>(metric: Metric.Metric<number, State>): (amount: number) => void {
  return (amount) => metric.updateUnsafe(amount, Context.empty())
}
