/** Renders metrics in the Prometheus text format, version 0.0.4. */
import type { MetricFamily } from "@errata/core/internal"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const render = (families: ReadonlyArray<MetricFamily.MetricFamily>): string =>
  families.map(renderFamily).join("")

// internal

const renderFamily = ({ help, name, samples, type }: MetricFamily.MetricFamily): string => {
  const lines = [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
  ]
  for (const { labels, value } of samples) {
    if (typeof value === "number") {
      lines.push(`${name}${labelsOf(labels)} ${numberOf(value)}`)
      continue
    }
    for (const [bound, count] of value.buckets) {
      // The bucket `+Inf` is added below.
      if (Number.isFinite(bound))
        lines.push(`${name}_bucket${labelsOf({ ...labels, le: String(bound) })} ${count}`)
    }
    lines.push(`${name}_bucket${labelsOf({ ...labels, le: "+Inf" })} ${value.count}`)
    lines.push(`${name}_sum${labelsOf(labels)} ${numberOf(value.sum)}`)
    lines.push(`${name}_count${labelsOf(labels)} ${value.count}`)
  }
  return `${lines.join("\n")}\n`
}

const numberOf = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

const labelsOf = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels)
  return entries.length === 0
    ? ""
    : `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
