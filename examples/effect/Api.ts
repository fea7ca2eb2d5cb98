/** The application's own API. */
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Effect, Layer, Schema } from "effect"

const Order = Schema.Struct({ id: Schema.Int, total: Schema.Number })

export const Api = HttpApi.make("Shop").add(
  HttpApiGroup.make("orders").add(
    HttpApiEndpoint.get("getOrder")`/orders/${HttpApiSchema.param("id", Schema.NumberFromString)}`.addSuccess(
      Order,
    ),
  ),
)

const orders = HttpApiBuilder.group(Api, "orders", (handlers) =>
  handlers.handle("getOrder", ({ path: { id } }) =>
    id === 13 ? Effect.die(new RangeError("Order 13 cannot be read")) : Effect.succeed({ id, total: 4.2 }),
  ),
)

export const layer = HttpApiBuilder.api(Api).pipe(Layer.provide(orders))
