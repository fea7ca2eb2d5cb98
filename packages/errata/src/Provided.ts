/** Ports that the program may implement itself. */
import { type Context, Effect, Layer } from "effect"

/** The implementation that the program provides, or else the layer. */
export const orProvided = <I, S, E, R>(
  port: Context.Key<I, S>,
  layer: Layer.Layer<I, E, R>,
): Layer.Layer<I, E, R> =>
  Layer.unwrap(
    Effect.map(Effect.context<never>(), ({ mapUnsafe }) =>
      // A reference always has a value. Only the map shows that the program provided it.
      mapUnsafe.has(port.key) ? Layer.succeed(port, mapUnsafe.get(port.key) as S) : layer,
    ),
  )
