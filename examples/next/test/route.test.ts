/** Calls the route's handlers as Next.js does. `npm run check:pack` builds the application. */
import { afterAll, expect, it } from "vitest"
import { GET, POST } from "../app/errors/[[...path]]/route"
import { GET as getOrder } from "../app/orders/[id]/route"
import { onRequestError } from "../instrumentation"
import { errata } from "../lib/errata"

const at = (path: string) => `http://localhost:3000/errors${path}`

afterAll(async () => (await errata()).close())

it("answers for Errata", async () => {
  expect((await GET(new Request(at("/up")))).status).toBe(200)

  const { project } = await errata()
  const event = JSON.stringify({ message: "Sold out" })
  const url = at(`/api/${project.id}/store/?sentry_key=${project.token}`)
  expect((await POST(new Request(url, { method: "POST", body: event }))).status).toBe(200)
})

it("reports errors from onRequestError", async () => {
  await onRequestError(
    new Error("The cart is gone"),
    { path: "/cart", method: "GET" },
    { routePath: "/cart" },
  )
  const { flush, groups, project } = await errata()
  await flush()
  expect((await groups.list(project.id, { query: "cart" })).groups).toMatchObject([
    { error_message: "The cart is gone", culprit: "GET /cart" },
  ])
})

it("reports an error of a route with the scope of its request", async () => {
  const failure: unknown = await getOrder(new Request("http://localhost:3000/orders/17"), {
    params: Promise.resolve({ id: "17" }),
  }).catch((error: unknown) => error)
  await onRequestError(failure, { path: "/orders/17", method: "GET" }, { routePath: "/orders/[id]" })
  const { flush, groups, project, reports } = await errata()
  await flush()
  const { groups: found } = await groups.list(project.id, { query: "order:17" })
  expect(found).toMatchObject([
    { error_message: "Order 17 could not be read", culprit: "GET /orders/[id]", reports_count: 1 },
  ])
  const [report] = (await reports.list(project.id, found[0]!.id)).reports
  expect(await reports.get(project.id, found[0]!.id, report!.id)).toMatchObject({
    request: { url: "http://localhost:3000/orders/17", method: "GET" },
  })
})
