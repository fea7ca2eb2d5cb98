/** Events of minified scripts, and uploads of their source maps. */
import { randomUUID } from "node:crypto"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import * as Api from "./Api.js"
import { apiKey, type Node } from "./Node.js"
import { until } from "./Wait.js"

type Server = Pick<Node, "url">

export interface File {
  readonly name: string
  readonly content: string
}

export const scriptUrl = (name: string): string => `https://shop.example.com/assets/${name}.js`

/** Uploads a file of a release. */
export const upload = async (node: Server, project: Api.Project, release: string, file: File) => {
  const body = new FormData()
  body.append("name", file.name)
  body.append("file", new Blob([file.content]), file.name)
  const path = `/api/0/projects/errata/${project.id}/releases/${encodeURIComponent(release)}/files/`
  const headers = { authorization: `Bearer ${apiKey}` }
  const { status } = await fetch(node.url + path, { method: "POST", body, headers })
  if (status !== 201) throw new Error(`An upload was answered with ${status}`)
}

/** Sends an event of a script, or a plain one if `script` is null. */
export const send = async (node: Server, project: Api.Project, release: string, script: string | null) => {
  const frame =
    script === null
      ? { filename: "main.py", function: "main", lineno: 1 }
      : { filename: scriptUrl(script), function: "t", lineno: 1, colno: 1 }
  const event = {
    event_id: randomUUID().replaceAll("-", ""),
    platform: script === null ? "python" : "javascript",
    release,
    exception: { values: [{ type: "TypeError", value: "boom", stacktrace: { frames: [frame] } }] },
  }
  const url = Api.envelopeUrl(node, project).replace("envelope", "store")
  const { status } = await Http.send(url, { method: "POST", body: JSON.stringify(event) })
  if (status !== 200) throw new Error(`An event was answered with ${status}`)
}

/** Creates a second project. */
export const createProject = async (node: Server): Promise<Api.Project> => {
  const { body, status } = await Api.call(node, "POST", "/projects", { name: "Plain" })
  if (status !== 201) throw new Error(`A project was answered with ${status}: ${body}`)
  return JSON.parse(body) as Api.Project
}

const countOf = async (node: Server, { id }: Api.Project) =>
  (await Api.get<Api.Project>(node, `/projects/${id}`)).reports_count

/** Waits until a project has `count` reports and returns the elapsed ms. */
export const recorded = async (
  node: Server,
  project: Api.Project,
  count: number,
  deadline = 120_000,
): Promise<number> => {
  const began = performance.now()
  const what = `${count} reports of project ${project.id} are recorded`
  await until(what, async () => (await countOf(node, project)) >= count, deadline)
  return Math.round(performance.now() - began)
}
