/** Calls of `/api/0` by hostile clients that have a key. */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import { apiKey, type Node } from "./Node.js"

type Server = Pick<Node, "url">

/** A chunk, compressed once: compressing it during an attack would delay the honest senders of this process. */
export interface Chunk {
  /** SHA-1 of the content. */
  readonly checksum: string
  readonly compressed: Uint8Array<ArrayBuffer>
}

const authorization = `Bearer ${apiKey}`

export const sha1 = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex")

export const chunkOf = (content: Uint8Array): Chunk => ({
  checksum: sha1(content),
  compressed: new Uint8Array(gzipSync(content)),
})

/** Stores a chunk, compressed on the wire. */
export const storeChunk = async (node: Server, { checksum, compressed }: Chunk): Promise<void> => {
  const body = new FormData()
  body.append("file_gzip", new Blob([compressed]), checksum)
  const path = "/api/0/organizations/errata/chunk-upload/"
  const { status } = await fetch(node.url + path, { method: "POST", body, headers: { authorization } })
  if (status !== 200) throw new Error(`A chunk was answered with ${status}`)
}

export const call = (node: Server, method: string, path: string, body: string): Promise<Http.Answer> =>
  Http.send(node.url + path, {
    method,
    body,
    headers: { authorization, "content-type": "application/json" },
  })
