/** Samples of metrics at one moment. Plain data, which threads can exchange. */
import { Context, Metric } from "effect"
import type { MetricDescription } from "./MetricTable.js"

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | HistogramValue
}

export interface HistogramValue {
  readonly count: number
  readonly sum: number
  /** Upper bounds, ascending, with the cumulative counts. */
  readonly buckets: ReadonlyArray<readonly [bound: number, count: number]>
}

export interface MetricFamily extends Pick<MetricDescription, "name" | "type" | "help"> {
  readonly samples: ReadonlyArray<MetricSample>
}

/** Creates a family from samples that are computed on demand. */
export const family = (
  { help, name, type }: MetricDescription,
  samples: ReadonlyArray<readonly [value: number, labels?: Readonly<Record<string, string>>]>,
): MetricFamily => ({ name, type, help, samples: samples.map(([value, labels = {}]) => ({ value, labels })) })

/** Functions that set gauges before a snapshot. */
export const collectors: Set<() => void> = new Set()

/** All metrics of Errata in this thread. Metrics of the embedding application are left out. */
export const snapshot = (): ReadonlyArray<MetricFamily> => {
  for (const collect of collectors) collect()
  const families = new Map<string, { family: MetricFamily; samples: Array<MetricSample> }>()
  for (const metric of Metric.snapshotUnsafe(Context.empty())) {
    const { attributes: labels = {}, description: help = "", id: name } = metric
    if (!name.startsWith("errata_")) continue
    let found = families.get(name)
    if (found === undefined) {
      const samples: Array<MetricSample> = []
      found = { family: { name, help, type: typeOf(metric), samples }, samples }
      families.set(name, found)
    }
    found.samples.push({ labels, value: valueOf(metric) })
  }
  return Array.from(families.values(), ({ family }) => family)
}

/** Adds labels to every sample. */
export const labelled = (
  families: ReadonlyArray<MetricFamily>,
  labels: Readonly<Record<string, string>>,
): ReadonlyArray<MetricFamily> =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...labels } })),
  }))

/** Merges families by name. */
export const together = (
  ...sources: ReadonlyArray<ReadonlyArray<MetricFamily>>
): ReadonlyArray<MetricFamily> => {
  const families = new Map<string, MetricFamily>()
  for (const family of sources.flat()) {
    const known = families.get(family.name)
    families.set(
      family.name,
      known === undefined ? family : { ...known, samples: added(known.samples, family.samples) },
    )
  }
  return [...families.values()]
}

// internal

const typeOf = ({ type }: Metric.Metric.Snapshot): MetricFamily["type"] =>
  type === "Counter" ? "counter" : type === "Histogram" ? "histogram" : "gauge"

const valueOf = (metric: Metric.Metric.Snapshot): MetricSample["value"] => {
  switch (metric.type) {
    case "Counter":
      return Number(metric.state.count)
    case "Gauge":
      return Number(metric.state.value)
    case "Histogram":
      return { count: metric.state.count, sum: metric.state.sum, buckets: metric.state.buckets }
    default:
      return Number.NaN
  }
}

/** Adds samples with equal labels. */
const added = (
  known: ReadonlyArray<MetricSample>,
  others: ReadonlyArray<MetricSample>,
): ReadonlyArray<MetricSample> => {
  const series = new Map(known.map((sample) => [keyOf(sample), sample]))
  for (const sample of others) {
    const key = keyOf(sample)
    const before = series.get(key)
    series.set(key, before === undefined ? sample : { ...sample, value: sum(before.value, sample.value) })
  }
  return [...series.values()]
}

const keyOf = ({ labels }: MetricSample): string => JSON.stringify(Object.entries(labels).sort())

const sum = (a: MetricSample["value"], b: MetricSample["value"]): MetricSample["value"] =>
  typeof a === "number" || typeof b === "number"
    ? Number(a) + Number(b)
    : {
        count: a.count + b.count,
        sum: a.sum + b.sum,
        buckets: a.buckets.map(([bound, count], i) => [bound, count + (b.buckets[i]?.[1] ?? 0)]),
      }
