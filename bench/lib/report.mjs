/** Figures for people and for programs. */
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"

const COLUMNS = [
  ["scenario", "scenario"],
  ["processed/s", "processed_per_s"],
  ["accepted/s", "accepted_per_s"],
  ["baseline/s", "baseline_per_s"],
  ["ratio", "ratio_to_baseline"],
  ["p50 ms", "accept_p50_ms"],
  ["p95 ms", "accept_p95_ms"],
  ["p99 ms", "accept_p99_ms"],
  ["list p95", "list_p95_ms"],
  ["search p95", "search_p95_ms"],
  ["RSS MB", "rss_mb"],
  ["DB MB", "database_rss_mb"],
  ["B/report", "bytes_per_report"],
  ["reports/tx", "reports_per_transaction"],
  ["server us", "server_cpu_us"],
  ["DB us", "database_cpu_us"],
  ["errors", "errors"],
]

const cell = (value) => {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return String(value.length)
  if (typeof value !== "number") return String(value)
  return value >= 100 ? Math.round(value).toString() : value.toFixed(value < 10 ? 2 : 1)
}

const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 1000) / 1000 : value)

export const table = (rows, columns = COLUMNS) => {
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, name]) => cell(row[name]))),
  ]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index].length)))
  return lines
    .map((line) =>
      line
        .map((text, index) => (index === 0 ? text.padEnd(widths[0]) : text.padStart(widths[index])))
        .join("  "),
    )
    .join("\n")
}

export const machine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
})

/** Prints the result and writes it to `bench/results/`. */
export const publish = (name, result) => {
  const text = JSON.stringify(result, rounded, 2)
  const folder = fileURLToPath(new URL("../results/", import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}${name}.json`, `${text}\n`)
  console.log(text)
}

export const progress = (text) => console.error(text)
