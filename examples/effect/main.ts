import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import * as Remote from "./Remote.js"

const server = NodeHttpServer.layer(createServer, { port: 3000 })

Layer.launch(Layer.provide(Remote.layer(), server)).pipe(NodeRuntime.runMain)
