/** The application with a tracker elsewhere: one line reports every failure to it. */
import { Errata } from "@errata/effect"
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Api from "./Api.js"

/** Without a `dsn`, the variable `ERRATA_DSN` has the address that the tracker printed. */
export const layer = (options: Errata.Options = {}) =>
  HttpRouter.serve(Api.layer).pipe(Layer.provide(Errata.layer({ release: "shop@1.4.0", ...options })))
