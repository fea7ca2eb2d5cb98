/** The application with an embedded tracker, which reports every failure and serves `/errors`. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Errata } from "errata/effect"
import * as Api from "./Api.js"
import * as ErrataMiddleware from "./ErrataMiddleware.js"

export const layer = (origin: string) => {
  const errors = Effect.map(ErrataMiddleware.make(origin), (middleware) =>
    HttpRouter.middleware(middleware, { global: true }),
  )
  return HttpRouter.serve(Layer.merge(Api.layer, Layer.unwrap(errors))).pipe(
    Layer.provide(Errata.reporting()),
    Layer.provideMerge(Errata.layer({ project: "Shop" })),
  )
}
