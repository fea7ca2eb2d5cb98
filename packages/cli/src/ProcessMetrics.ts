/** Figures of the process, under the names that Prometheus' own clients give them. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type MetricDescription, MetricFamily } from "@errata/core"
import { version } from "./Version.js"

export const processMetrics = {
  build: {
    name: "errata_build_info",
    type: "gauge",
    help: "Always 1; the version of the server is in the label.",
    labels: ["version"],
  },
  start: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the process was started, as a Unix time.",
    labels: [],
  },
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Processor time that all threads of the process have taken.",
    labels: [],
  },
  memory: {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory that the process takes of the machine.",
    labels: [],
  },
  heap: {
    name: "nodejs_heap_size_used_bytes",
    type: "gauge",
    help: "Objects of the server's thread.",
    labels: [],
  },
  lag: {
    name: "nodejs_eventloop_lag_p99_seconds",
    type: "gauge",
    help: "How late the event loop of the server's thread was since the last time that this was read, 99th percentile.",
    labels: [],
  },
} satisfies Readonly<Record<string, MetricDescription>>

/** From now on the event loop is watched. */
export const make = (): (() => ReadonlyArray<MetricFamily.MetricFamily>) => {
  const delay = monitorEventLoopDelay()
  delay.enable()
  return () => {
    const { system, user } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    const lag = delay.percentile(99) / 1e9
    delay.reset()
    return [
      MetricFamily.family(processMetrics.build, [[1, { version }]]),
      MetricFamily.family(processMetrics.start, [[performance.timeOrigin / 1000]]),
      MetricFamily.family(processMetrics.cpu, [[(system + user) / 1e6]]),
      MetricFamily.family(processMetrics.memory, [[rss]]),
      MetricFamily.family(processMetrics.heap, [[heapUsed]]),
      MetricFamily.family(processMetrics.lag, [[lag]]),
    ]
  }
}
