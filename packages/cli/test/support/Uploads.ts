/** Uploads as build tools send them, in plain requests. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type Project, send, Unexpected } from "./Rest.js"
import type { Server } from "./Server.js"

export interface ReleaseFile {
  readonly release: string
  readonly name: string
  readonly content: string
  readonly dist?: string
}

/** Uploads one file of a release and returns the id of the upload. */
export const uploadFile = (
  server: Server,
  project: Project,
  { content, dist, name, release }: ReleaseFile,
): Effect.Effect<number, Unexpected> => {
  const form = formOf("app.js.map", content)
  form.set("name", name)
  if (dist !== undefined) form.set("dist", dist)
  const path = `projects/errata/${project.id}/releases/${encodeURIComponent(release)}/files/`
  return Effect.map(post(server, path, form), ({ id }) => Number(id))
}

/** Uploads an invalid bundle. The project's list of uploads shows the failure. */
export const uploadNoBundle = (server: Server, project: Project): Effect.Effect<void, Unexpected> => {
  const content = "This is no archive."
  const checksum = createHash("sha1").update(content).digest("hex")
  const assembly = JSON.stringify({ checksum, chunks: [checksum], projects: [String(project.id)] })
  return post(server, "organizations/errata/chunk-upload/", formOf(checksum, content)).pipe(
    Effect.andThen(post(server, "organizations/errata/artifactbundle/assemble/", assembly)),
    Effect.asVoid,
  )
}

// internal

const formOf = (filename: string, content: string): FormData => {
  const form = new FormData()
  form.set("file", new Blob([content]), filename)
  return form
}

const post = (
  { apiKey, url }: Server,
  path: string,
  body: FormData | string,
): Effect.Effect<Readonly<Record<string, unknown>>, Unexpected> =>
  Effect.flatMap(
    send(`${url}/api/0/${path}`, { method: "POST", headers: { authorization: `Bearer ${apiKey}` }, body }),
    ({ body: answer, status }) =>
      status < 300
        ? Effect.succeed(JSON.parse(answer.toString()))
        : new Unexpected({ message: `POST ${path} answered ${status}: ${answer}` }),
  )
