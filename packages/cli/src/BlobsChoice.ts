/** Choice of the blob store for uploaded contents, from the settings. */
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import type { BlobsChoice } from "./Blobs.js"
import type { CommandFailed } from "./ErrorOutput.js"
import * as ServerSettings from "./ServerSettings.js"
import * as Setting from "./Setting.js"

/** Returns the configured blob store. S3 settings are ignored unless the store is in S3. */
export const blobsChoice: Effect.Effect<BlobsChoice, CommandFailed> = Effect.gen(function* () {
  const place = yield* ServerSettings.valueOf(ServerSettings.blobs)
  const endpoint = yield* Setting.given(ServerSettings.blobsS3Endpoint)
  const region = yield* Setting.given(ServerSettings.blobsS3Region)
  if (place === "database") return { kind: "database" }
  const url = new URL(place)
  if (url.protocol === "file:") return { kind: "directory", path: fileURLToPath(url) }
  return {
    kind: "s3",
    bucket: url.host,
    prefix: url.pathname.slice(1),
    endpoint: Option.getOrUndefined(endpoint)?.value,
    region: Option.getOrUndefined(region)?.value,
  }
})
