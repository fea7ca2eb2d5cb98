/** The application's own API. */
import { Effect, ErrorReporter, Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Order = Schema.Struct({ id: Schema.Int, total: Schema.Number })

/** An expected response, which is not reported. */
class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>()(
  "NoSuchOrder",
  { id: Schema.Int },
  { httpApiStatus: 404 },
) {
  override readonly [ErrorReporter.ignore] = true
}

/** A failure of the shop. Its attributes are tags of the report. */
class WarehouseDown extends Schema.TaggedError<WarehouseDown>()(
  "WarehouseDown",
  { warehouse: Schema.String },
  { httpApiStatus: 503 },
) {
  override readonly [ErrorReporter.severity] = "Fatal" as const
  override readonly [ErrorReporter.attributes] = { warehouse: this.warehouse }
}

export const Api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders").add(
    HttpApiEndpoint.get("getOrder", "/orders/:id", {
      params: { id: Schema.FiniteFromString },
      success: Order,
      error: [NoSuchOrder, WarehouseDown],
    }),
  ),
)

const findOrder = Effect.fn("findOrder")(function* (id: number) {
  yield* Effect.logInfo("The shelf is searched")
  if (id === 12) return yield* new WarehouseDown({ warehouse: "north" })
  if (id === 13) return yield* Effect.die(new RangeError("Order 13 cannot be read"))
  if (id === 404) return yield* new NoSuchOrder({ id })
  return { id, total: 4.2 }
})

const orders = HttpApiBuilder.group(Api, "orders", (handlers) =>
  handlers.handle("getOrder", ({ params: { id } }) =>
    // Reporting here adds the annotations of the request. The server does not report the error again.
    findOrder(id).pipe(Effect.withErrorReporting, Effect.annotateLogs({ order: id })),
  ),
)

export const layer = HttpApiBuilder.layer(Api).pipe(Layer.provide(orders))
