/**
 * Starts Errata and a shop that reports to it. Sends requests to the shop until enough errors occurred and prints the
 * groups. Then it sends the errors of a week, and the server runs until Ctrl+C. With --once it exits instead. It leaves
 * no files behind.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startErrata } from "./errata.mjs"
import { sendHistory, triageHistory } from "./history.mjs"
import { stackOfReport, tableOfGroups } from "./print.mjs"

// Consecutive visits never hit the same bug: the SDK drops an error that repeats the previous one.
const visits = [
  { customer: "ada", method: "GET", path: "/products/1" },
  { customer: "ada", method: "GET", path: "/products/41" },
  { customer: "ben", method: "POST", path: "/orders/1001/payment" },
  { customer: "cleo", method: "GET", path: "/products/2" },
  { customer: "cleo", method: "GET", path: "/products/42" },
  { customer: "ben", method: "POST", path: "/orders/1001/payment" },
  { customer: "dan", method: "GET", path: "/products/57" },
  { customer: "fay", method: "POST", path: "/orders/1002/payment" },
  { customer: "eve", method: "GET", path: "/products/41" },
  { customer: "gus", method: "POST", path: "/orders/1003/payment" },
  { customer: "eve", method: "GET", path: "/products/43" },
]

const print = (lines) => process.stdout.write(`${[lines].flat().join("\n")}\n`)

const errata = await startErrata()
try {
  const project = await errata.nameProject("Tea shop")
  const dsn = errata.dsn(project)
  print(`Errata listens on ${errata.url}, with its data in memory.`)

  const shop = fork(fileURLToPath(new URL("shop.mjs", import.meta.url)), {
    env: { PATH: process.env.PATH, SENTRY_DSN: dsn },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  let complaint = ""
  shop.stderr.on("data", (chunk) => (complaint += chunk))
  const ended = once(shop, "exit")
  const [{ url }] = await Promise.race([
    once(shop, "message"),
    ended.then(() => Promise.reject(new Error(`The shop did not start:\n${complaint}`))),
  ])
  print(`A tea shop opens, with @sentry/node and the DSN ${dsn}`)

  let errorPages = 0
  for (const { customer, method, path } of visits) {
    const response = await fetch(url + path, { method, headers: { "x-customer": customer } })
    if (response.status === 500) errorPages++
    await pause(150)
  }
  print(`${visits.length} requests of customers: ${errorPages} were answered with an error page.`)

  shop.send("close the day")
  const [code] = await ended
  print(`The shop closed the day, and crashed with exit code ${code}.`)

  await errata.recorded(project, errorPages + 1)
  const { groups } = await errata.request(`/projects/${project.id}/groups`)
  print(["", `What Errata made of ${errorPages + 1} errors, read over its REST API:`, ""])
  print(tableOfGroups(groups.sort((a, b) => b.reports_count - a.reports_count)))

  const payments = `/projects/${project.id}/groups/${groups.find((group) => group.error_type === "PaymentError").id}`
  const { reports } = await errata.request(`${payments}/reports?limit=1`)
  const report = await errata.request(`${payments}/reports/${reports[0].id}`)
  print([
    "",
    `The latest of the payments (event ${report.event_id}):`,
    `${report.request.method} ${new URL(report.request.url).pathname} by ${report.user.username}, ` +
      `${report.release_version} on ${report.server_name}, environment ${report.environment}`,
    "",
    ...stackOfReport(report),
  ])
  if (!process.argv.includes("--once")) {
    const older = await sendHistory(dsn)
    await errata.recorded(project, errorPages + 1 + older)
    await triageHistory(errata, project)
    print([
      "",
      `${older} older errors were sent too, so that there is a week to look at.`,
      `The server keeps running on ${errata.url}. To see it in a browser, open this link, which signs you in once:`,
      `  ${await errata.signInLink()}`,
      "In another terminal:",
      `  export ERRATA_URL=${errata.url} ERRATA_API_KEY=${errata.apiKey}`,
      "  npx errata groups list",
      "  npx errata groups get 1",
      "Press Ctrl+C to stop it. Its data are in memory only.",
    ])
    await errata.ended()
  }
} finally {
  await errata.stop()
}
print(["", "The server is stopped. `npm start` runs one that keeps its data."])
