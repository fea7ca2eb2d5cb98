/**
 * Measures the dashboard in a browser with a seeded project, first without load, then while events arrive. Browser,
 * server, database and load share the machine. A missed budget is shown in the table, but is not a failure.
 */
import { sendLarge } from "./lib/dashboardEvents.mjs"
import { measureAll, SLOW } from "./lib/dashboardMeasures.mjs"
import { launch, signIn } from "./lib/dashboardReader.mjs"
import { sleep } from "./lib/errata.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"
import { percentile } from "./lib/scenarios.mjs"
import { startLoad, startWithPast } from "./reads.mjs"

/** In ms, unless the name says otherwise. */
const BUDGETS = {
  "list, cold": 400,
  "list, cold, slowed": 1_200,
  "list to report": 150,
  "report to list": 50,
  "large report": 300,
  "layout shift, list": 0.02,
  "layout shift, report": 0.02,
  "MB of heap after 200 navigations": 50,
  "first list: KB of page, scripts, styles": 80,
}
const KEY_BUDGET = 100

const budgetOf = (name) => (name.startsWith("slowed: ") ? KEY_BUDGET : (BUDGETS[name] ?? null))

const summaryOf = (samples) => ({
  runs: samples.length,
  median: percentile(samples, 0.5),
  worst: Math.max(...samples),
})

const rowOf = (name, alone, busy) => {
  const budget = budgetOf(name)
  const isOver = (figure) => budget !== null && figure > budget
  const missed = isOver(busy.median) ? "missed" : isOver(busy.worst) ? "at worst" : ""
  return { name, budget, alone, busy, missed }
}

const print = (rows, rate) =>
  table(
    rows.map(({ alone, budget, busy, missed, name }) => ({
      name,
      budget,
      runs: String(busy.runs),
      alone_median: alone.median,
      alone_worst: alone.worst,
      busy_median: busy.median,
      busy_worst: busy.worst,
      missed,
    })),
    [
      [`ms, or as named; slowed: ${SLOW} times`, "name"],
      ["budget", "budget"],
      ["runs", "runs"],
      ["alone", "alone_median"],
      ["worst", "alone_worst"],
      [`with ${rate}/s`, "busy_median"],
      ["worst", "busy_worst"],
      ["missed", "missed"],
    ],
  )

/** Measures a seeded server without load, and then while events arrive. */
export const measureDashboard = async ({ server, project, options }) => {
  await sendLarge(server, project, options.runs + 1)
  const { sign_in_link: link } = await server.request("POST", "/users", {
    name: "Reader",
    email_address: `reader-${Date.now()}@example.com`,
    role: "admin",
  })
  const { groups } = await server.request("GET", `/projects/${project.id}/groups?sort=reports_count&limit=1`)
  const { browser, close } = await launch()
  const list = `/projects/${project.id}/groups`
  const site = {
    browser,
    state: await signIn(browser, link),
    base: `http://${server.host}:${server.port}`,
    list,
    report: `${list}/${groups[0].id}`,
    runs: options.runs,
  }
  progress("without events")
  const alone = await measureAll(site)
  progress(`with ${options.rate} events a second`)
  const { host, port } = server
  const stopLoad = await startLoad({ host, port, project, groups: options.groups, rate: options.rate })
  await sleep(options.warmUp * 1000)
  const busy = await measureAll(site)
  const load = await stopLoad()
  const result = {
    made_at: new Date().toISOString(),
    machine: { ...machine(), browser: browser.version() },
    options: { ...options, bin: undefined },
    load: { ...load, rate_per_s: load.accepted / load.seconds },
    measures: Object.keys(busy).map((name) => rowOf(name, summaryOf(alone[name]), summaryOf(busy[name]))),
  }
  await close()
  publish("latest-dashboard", result)
  console.log(`\n${print(result.measures, options.rate)}\n`)
  if (load.refused > 0) console.log(`${load.refused} events were refused`)
  return load.refused === 0
}

/** @param options `groups`, `reports`, `rate` of events a second, `runs` per page load, `warmUp` */
export const dashboard = async (options) => {
  const { stop, ...past } = await startWithPast(options)
  const ok = await measureDashboard({ ...past, options })
  await stop()
  return ok
}
