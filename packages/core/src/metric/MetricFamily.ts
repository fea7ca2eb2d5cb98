/** Figures as they are at a moment: plain data, which threads can hand to each other. */
import { Context, Metric } from "effect"
import type { MetricDescription } from "./MetricTable.js"

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | HistogramValue
}

export interface HistogramValue {
  readonly count: number
  readonly sum: number
  /** Upper bounds, ascending, and how many values there were up to each. */
  readonly buckets: ReadonlyArray<readonly [bound: number, count: number]>
}

export interface MetricFamily extends Pick<MetricDescription, "name" | "type" | "help"> {
  readonly samples: ReadonlyArray<MetricSample>
}

/** A family of figures that are known only now. */
export const family = (
  { help, name, type }: MetricDescription,
  samples: ReadonlyArray<readonly [value: number, labels?: Readonly<Record<string, string>>]>,
): MetricFamily => ({ name, type, help, samples: samples.map(([value, labels = {}]) => ({ value, labels })) })

/** Something that sets its gauges when somebody is about to read them. */
export const collectors: Set<() => void> = new Set()

/** Everything that Errata has counted in this thread; what others count with Effect's metrics is not Errata's to tell. */
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

/** The families with these labels on every sample. */
export const labelled = (
  families: ReadonlyArray<MetricFamily>,
  labels: Readonly<Record<string, string>>,
): ReadonlyArray<MetricFamily> =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...labels } })),
  }))

/** The families of several sources; what has one name becomes one family. */
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

/** Samples with the same labels are one series. */
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
