/** Merges two large groups and undoes the merge, while events arrive for both at a fixed rate. */
import { performance } from "node:perf_hooks"
import { sleep } from "./errata.mjs"
import { progress } from "./report.mjs"

/** `send` runs a load and waits until all of it can be read. Runs the load twice, without and with the merge. */
export const mergeUnderLoad = async (server, send, load) => {
  const base = `/projects/${server.projects[0].id}/groups`
  const merge = (target, sources) =>
    server.request("POST", `${base}/${target.id}/bulk_merge`, { group_ids: sources.map(({ id }) => id) })
  const { groups } = await server.request("GET", `${base}?limit=100`)
  const middle = groups.length >> 1
  const halves = [groups.slice(0, middle), groups.slice(middle)]
  progress(`merging ${groups.length} groups into two, and those into one`)
  for (const [target, ...sources] of halves) await merge(target, sources)
  const [target, source] = await Promise.all(halves.map(([{ id }]) => server.request("GET", `${base}/${id}`)))

  const before = await send(load)
  const timed = async (work) => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const during = send(load)
  await sleep((load.seconds * 1000) / 3)
  const mergeMs = await timed(() => merge(target, [source]))
  await sleep((load.seconds * 1000) / 3)
  const { merges } = await server.request("GET", `${base}/${target.id}/merges?limit=1`)
  const unmergeMs = await timed(() => server.request("DELETE", `${base}/${target.id}/merges/${merges[0].id}`))
  const ran = await during
  return {
    target_reports: target.reports_count,
    source_reports: source.reports_count,
    merge_ms: mergeMs,
    unmerge_ms: unmergeMs,
    rate_per_s: load.rate,
    accept_p99_before_ms: before.p99,
    accept_p99_during_ms: ran.p99,
    accept_max_during_ms: ran.max,
    processed_before_per_s: before.processedPerS,
    processed_during_per_s: ran.processedPerS,
  }
}
