/** The blob stores that the built command uses for uploads. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as S3Server from "../../blobs/test/support/S3Server.js"
import { createProject } from "./support/Rest.js"
import * as Server from "./support/Server.js"
import { uploadFile } from "./support/Uploads.js"

const upload = Effect.fnUntraced(function* (server: Server.Server) {
  const project = yield* createProject(server, "Built")
  yield* uploadFile(server, project, { release: "1", name: "~/app.js.map", content: "{}" })
})

const startWith = (env: Readonly<Record<string, string>>) => Server.start(["--storage", "memory"], env)

it.live("ERRATA_BLOBS=file:... stores blobs in that folder, and creates it", () =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-blobs-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
    )
    const folder = join(home, "of uploads")
    yield* upload(yield* startWith({ ERRATA_BLOBS: pathToFileURL(folder).href }))
    const files = readdirSync(folder, { recursive: true }).map(String)
    expect(files.filter((file) => /^[0-9a-f]{2}\/[0-9a-f]{64}\.gz$/.test(file))).toHaveLength(1)
  }),
)

it.live("ERRATA_BLOBS=s3:... stores blobs in that bucket", () =>
  Effect.gen(function* () {
    const store = yield* S3Server.make
    const server = yield* startWith({
      ERRATA_BLOBS: `s3://${S3Server.bucket}/of-uploads/`,
      ERRATA_BLOBS_S3_ENDPOINT: store.url,
      AWS_ACCESS_KEY_ID: S3Server.accessKey,
      AWS_SECRET_ACCESS_KEY: S3Server.accessKey,
    })
    yield* upload(server)
    const kept = (yield* store.objects).map(String)
    expect(kept.filter((name) => /^of-uploads\/.*[0-9a-f]{64}.*object$/.test(name))).toHaveLength(1)
  }),
)
