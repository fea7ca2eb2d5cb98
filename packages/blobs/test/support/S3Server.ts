/** An S3 server on the loopback interface. The server and its objects are removed when the scope closes. */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import S3rver from "s3rver"

export const bucket = "artifacts"

/** The server's only access key, which is also its secret. */
export const accessKey = "S3RVER"

export const make = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "errata-s3-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )
  const running = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new S3rver({
          address: "127.0.0.1",
          port: 0,
          silent: true,
          directory,
          configureBuckets: [{ name: bucket, configs: [] }],
        }),
    ),
    (opened) => Effect.promise(() => opened.close()),
  )
  const { port }: AddressInfo = yield* Effect.promise(() => running.run())
  return {
    url: `http://127.0.0.1:${port}`,
    /** The paths of the server's files in the bucket. */
    objects: Effect.promise(() => readdir(join(directory, bucket), { recursive: true })),
  }
})
