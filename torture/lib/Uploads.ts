/** Calls of `/api/0`, as hostile clients with a key make them. */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import { apiKey, type Node } from "./Node.js"

type Server = Pick<Node, "url">

const authorization = `Bearer ${apiKey}`

export const sha1 = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex")

/** Stores a chunk, compressed on the wire; returns its checksum and the bytes that were sent. */
export const storeChunk = async (node: Server, chunk: Uint8Array) => {
  const checksum = sha1(chunk)
  const compressed = gzipSync(chunk)
  const body = new FormData()
  body.append("file_gzip", new Blob([new Uint8Array(compressed)]), checksum)
  const path = "/api/0/organizations/errata/chunk-upload/"
  const { status } = await fetch(node.url + path, { method: "POST", body, headers: { authorization } })
  if (status !== 200) throw new Error(`A chunk was answered with ${status}`)
  return { checksum, bytes: compressed.byteLength }
}

export const call = (node: Server, method: string, path: string, body: string): Promise<Http.Answer> =>
  Http.send(node.url + path, {
    method,
    body,
    headers: { authorization, "content-type": "application/json" },
  })
