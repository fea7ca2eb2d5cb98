/** A server of objects that speaks S3, on loopback; it ends with its scope, and its objects with it. */
import { mkdtemp, readdir, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import S3rver from "s3rver"

export const bucket = "artifacts"

/** Its only one, and the secret of it. */
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
    /** The paths of what is in the bucket, as the server keeps it. */
    objects: Effect.promise(() => readdir(join(directory, bucket), { recursive: true })),
  }
})
