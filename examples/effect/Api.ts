/** The application's own API. */
import { Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const Order = Schema.Struct({ id: Schema.Int, total: Schema.Number })

export const Api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders").add(
    HttpApiEndpoint.get("getOrder", "/orders/:id", {
      params: { id: Schema.NumberFromString },
      success: Order,
    }),
  ),
)

const orders = HttpApiBuilder.group(Api, "orders", (handlers) =>
  handlers.handle("getOrder", ({ params: { id } }) =>
    id === 13 ? Effect.die(new RangeError("Order 13 cannot be read")) : Effect.succeed({ id, total: 4.2 }),
  ),
)

export const layer = HttpApiBuilder.layer(Api).pipe(Layer.provide(orders))
