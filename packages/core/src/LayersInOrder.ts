/** Layers that are built one after the other, each on what those before it gave. */
import { Context, Effect, FiberRef, identity, Layer } from "effect"

/**
 * One layer of all that these give: of `layersInOrder(a, b, c)` each stands on those before it, as in
 * `c.pipe(Layer.provideMerge(b), Layer.provideMerge(a))`, and is memoized as ever. Services that are ready at once are built
 * several times as cheaply as by `Layer.mergeAll`, which starts a fiber for each. They are closed one after the other as
 * well: what takes time to open or to close is better merged.
 */
export const layersInOrder = <const Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): Layer.Layer<Given<Layers>, Failures<Layers>, Needs<Layers>> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const memoMap = yield* Layer.CurrentMemoMap
      const scope = yield* Effect.scope
      const context = yield* Effect.context<unknown>()
      let built = Context.empty()
      for (const layer of layers) {
        built = Context.merge(built, yield* Layer.buildWithMemoMap(layer, memoMap, scope))
        // Set, because to provide it costs as much as to build a service.
        yield* FiberRef.set(FiberRef.currentContext, Context.merge(context, built))
      }
      return built
    }).pipe(Effect.locallyWith(FiberRef.currentContext, identity)),
    // What comes out of them is known to the types of the layers alone, as is in which order.
  ) as AnyLayer as Layer.Layer<Given<Layers>, Failures<Layers>, Needs<Layers>>

// internal

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** Of each by itself: to the types a union of layers is one that gives nothing. */
type Given<Layers extends ReadonlyArray<AnyLayer>> = {
  [I in keyof Layers]: Layer.Layer.Success<Layers[I]>
}[number]

type Failures<Layers extends ReadonlyArray<AnyLayer>> = Layer.Layer.Error<Layers[number]>

/** What these need that none of those before them gives. */
type Needs<Layers, Known = never> = Layers extends readonly [
  Layer.Layer<infer Out, infer _E, infer In>,
  ...infer Rest,
]
  ? Exclude<In, Known> | Needs<Rest, Known | Out>
  : never
