/** Metrics of the process, with the names that Prometheus' own clients use. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type MetricDescription, MetricFamily } from "@errata/core/internal"
import { version } from "./Version.js"

export const processMetrics = {
  build: {
    name: "errata_build_info",
    type: "gauge",
    help: "Always 1. The label has the server's version.",
    labels: ["version"],
  },
  start: {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "Start time of the process, as Unix time.",
    labels: [],
  },
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Processor time used by all threads of the process.",
    labels: [],
  },
  memory: {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Resident memory of the process.",
    labels: [],
  },
  heap: {
    name: "nodejs_heap_size_used_bytes",
    type: "gauge",
    help: "Heap used by the server thread.",
    labels: [],
  },
  lag: {
    name: "nodejs_eventloop_lag_p99_seconds",
    type: "gauge",
    help: "99th percentile of the server thread's event loop delay since the last scrape.",
    labels: [],
  },
} satisfies Readonly<Record<string, MetricDescription>>

/** Starts watching the event loop, and returns a function that reads the metrics. */
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
