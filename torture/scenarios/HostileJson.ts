/** `[[],[],…]` for every route that reads JSON, while events of another project arrive. */
import * as Api from "../lib/Api.js"
import * as Bystander from "../lib/Bystander.js"
import * as Session from "../lib/Session.js"
import * as Uploads from "../lib/Uploads.js"
import type { Scenario } from "../Scenario.js"

/** More than four concurrent bodies of 15 MB need; 100 MB were measured. */
const mostMemory = 300

/** Maximum length of a response, which must not contain the rejected value. */
const longestAnswer = 2_000

const lists = (bytes: number): string => `[${"[],".repeat(bytes / 3)}[]]`

/** Just below the size limit; such a body once blocked the event loop for 99 s. */
const bodies = [lists(1_000_000), lists(15_000_000)]

interface Route {
  readonly method: string
  readonly path: string
}

const uploadRoutes: ReadonlyArray<Route> = [
  { method: "POST", path: "/api/0/organizations/errata/releases/" },
  { method: "POST", path: "/api/0/organizations/x/releases/" },
  { method: "PUT", path: "/api/0/organizations/errata/releases/1/" },
  { method: "POST", path: "/api/0/organizations/errata/releases/1/deploys/" },
  { method: "POST", path: "/api/0/projects/errata/{project_id}/releases/" },
  { method: "PUT", path: "/api/0/projects/errata/{project_id}/releases/1/" },
  { method: "POST", path: "/api/0/organizations/errata/artifactbundle/assemble/" },
  { method: "POST", path: "/api/0/projects/errata/{project_id}/files/difs/assemble/" },
  { method: "POST", path: "/mcp" },
  { method: "POST", path: "/oauth/register" },
]

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>
}

/** Routes of the REST API, from its OpenAPI document. */
const restRoutes = async (session: Session.Session): Promise<ReadonlyArray<Route>> => {
  const { paths } = await Api.get<OpenApi>(session.node, "/openapi.json")
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  )
}

const run: Scenario["run"] = async (setting) => {
  const { findings, size } = setting
  const session = await Session.open(setting, await setting.storage())
  const all = [...(await restRoutes(session)), ...uploadRoutes]
  findings.set("routes", all.length)
  findings.check(all.length > 30, () => `Only ${all.length} routes read JSON`)
  const send = async ({ method, path }: Route, body: string) => {
    const filled = path.replace("{project_id}", String(session.project.id)).replace(/\{\w+\}/g, "1")
    const began = performance.now()
    // A server that rejects a body may close the connection before the client has sent all of it.
    const answer = await Uploads.call(session.node, method, filled, body).catch(() => null)
    const status = answer?.status ?? "none"
    findings.count(`answers ${status}`)
    findings.most("longest answer ms", Math.round(performance.now() - began))
    findings.check(
      answer === null || answer.status < 500,
      () => `${method} ${path} was answered with ${status}`,
    )
    findings.check(
      answer === null || answer.body.length < longestAnswer,
      () => `${method} ${path} was answered with ${answer?.body.length} characters`,
    )
  }
  const attack = async () => {
    for (let round = 0; round < (size === "short" ? 1 : 12); round++) {
      for (const body of bodies) {
        for (let at = 0; at < all.length; at += 4) {
          await Promise.all(all.slice(at, at + 4).map((route) => send(route, body)))
        }
      }
    }
  }
  await Bystander.besides(session.node, findings, { mostMemory, run: attack })
  const code = await session.node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

export const scenario: Scenario = { name: "hostile JSON", kinds: ["postgres"], run }
