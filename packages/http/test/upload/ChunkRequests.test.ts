/** The server accepts every request within its announced limits. */
import { defaultSettings, ErrataConfig } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as ChunkRequests from "../../src/upload/ChunkRequests.js"
import { RawSocket } from "../support/RawSocket.js"
import { memberKey, start } from "../support/TestInstance.js"

const MiB = 1024 * 1024
const path = "/api/0/organizations/errata/chunk-upload/"

/** Minimal overhead around four chunks: boundaries, names, types. */
const around = 4 * 256

describe("requests with chunks", () => {
  it("have an announced size that the server accepts, for every chunk size", () => {
    const sizes = Array.from({ length: 32 * 1024 }, (_, i) => (i + 1) * 1024)
    const wrong = sizes.filter((chunkBytes) => {
      const { chunkSize, chunksPerRequest, maxBodyBytes, maxPartBytes, maxRequestSize } =
        ChunkRequests.of(chunkBytes)
      return !(
        chunksPerRequest > 0 &&
        maxRequestSize === chunkSize * chunksPerRequest &&
        chunkSize < maxPartBytes &&
        maxRequestSize + around <= maxBodyBytes &&
        maxBodyBytes <= ChunkRequests.maxRequestBytes
      )
    })
    expect(wrong).toEqual([])
    expect(ChunkRequests.of(8 * MiB)).toMatchObject({ chunksPerRequest: 4, maxRequestSize: 32 * MiB })
    expect(ChunkRequests.of(32 * MiB)).toMatchObject({ chunksPerRequest: 1, maxRequestSize: 32 * MiB })
  })

  it.each([16, 24, 32])("of up to %i MiB each get 100 Continue", async (size) => {
    const artifacts = { ...defaultSettings.artifacts, chunkBytes: size * MiB }
    const settings = Layer.succeed(ErrataConfig, { ...defaultSettings, artifacts })
    const errata = await start({}, Layer.merge(MemoryStorage.layer, settings))
    const authorization = `Bearer ${memberKey}`
    const { json } = await errata.fetch(path, { headers: { authorization } })
    expect(json.chunkSize).toBe(size === 32 ? 32 * MiB : 16 * MiB)
    const socket = await RawSocket.open(errata.port)
    socket.write(
      [
        `POST ${path} HTTP/1.1`,
        "host: localhost",
        `authorization: ${authorization}`,
        `content-type: multipart/form-data; boundary=x`,
        `content-length: ${json.maxRequestSize + around}`,
        "expect: 100-continue",
        "\r\n",
      ].join("\r\n"),
    )
    expect((await socket.response()).status).toBe(100)
    socket.abort()
    await errata.stop()
  })
})
