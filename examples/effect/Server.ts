/** The application as a server, without any tracker. */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Api from "./Api.js"

export const launch = Layer.launch(HttpRouter.serve(Api.layer))
