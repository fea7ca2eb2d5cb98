/** Reports to a remote tracker. `ERRATA_DSN` holds the DSN that it printed. */
import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Errata } from "@errata/effect"
import { Effect } from "effect"
import * as Server from "./Server.js"

Server.launch.pipe(
  Effect.provide(NodeHttpServer.layer(createServer, { port: 3000 })),
  Effect.withErrorReporting,
  Effect.provide(Errata.layer({ release: "shop@1.4.0" })),
  NodeRuntime.runMain,
)
