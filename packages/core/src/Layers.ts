/**
 * Many services as one layer. They do what Effect's own combinators do, but these take several nodes or a fiber for each
 * layer that they combine, and with as many services as an instance has, that was half of the time that it took to start.
 */
import { Context, Effect, ExecutionStrategy, FiberRef, Layer, Scope, identity } from "effect"

/**
 * All that these give: in `inOrder(a, b, c)` each stands on those before it, as in `c.pipe(Layer.provideMerge(b),
 * Layer.provideMerge(a))`. They are closed in the opposite order.
 */
export const inOrder = <const Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): Layer.Layer<Given<Layers>, Failures<Layers>, Needs<Layers>> =>
  // What comes out of them, and in which order they are, is known to their types alone.
  Layer.effectContext(
    Effect.map(built(layers), (contexts) => Context.mergeAll(...contexts)),
  ) as AnyLayer as Layer.Layer<Given<Layers>, Failures<Layers>, Needs<Layers>>

/** The same, of which only what the last one gives comes out, as in `Layer.provide`. */
export const lastInOrder = <const Layers extends readonly [...ReadonlyArray<AnyLayer>, AnyLayer]>(
  ...layers: Layers
): Layer.Layer<GivenByLast<Layers>, Failures<Layers>, Needs<Layers>> =>
  Layer.effectContext(Effect.map(built(layers), (contexts) => contexts.at(-1)!)) as AnyLayer as Layer.Layer<
    GivenByLast<Layers>,
    Failures<Layers>,
    Needs<Layers>
  >

/** Layers that do not know of each other, as in `Layer.mergeAll`: all of them are closed at the same time. */
export const together = <const Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): Layer.Layer<Given<Layers>, Failures<Layers>, Layer.Services<Layers[number]>> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const memoMap = yield* Layer.CurrentMemoMap
      const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
      const contexts: Array<Context.Context<never>> = []
      for (const layer of layers) {
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        contexts.push(yield* Layer.buildWithMemoMap(layer, memoMap, own))
      }
      return Context.mergeAll(...contexts)
    }),
  ) as AnyLayer as Layer.Layer<Given<Layers>, Failures<Layers>, Layer.Services<Layers[number]>>

// internal

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** Memoized as ever: whoever else is built of the same layers shares what they give. */
const built = (layers: ReadonlyArray<AnyLayer>) =>
  Effect.gen(function* () {
    const memoMap = yield* Layer.CurrentMemoMap
    const scope = yield* Effect.scope
    let context = yield* Effect.context<unknown>()
    const contexts: Array<Context.Context<never>> = []
    for (const layer of layers) {
      const own = yield* Layer.buildWithMemoMap(layer, memoMap, scope)
      contexts.push(own)
      context = Context.merge(context, own)
      // Set, because to provide it costs as much as to build a service.
      yield* FiberRef.set(FiberRef.currentContext, context)
    }
    return contexts
  }).pipe(Effect.locallyWith(FiberRef.currentContext, identity))

/** Of each by itself: to the types a union of layers is one that gives nothing. */
type Given<Layers extends ReadonlyArray<AnyLayer>> = {
  [I in keyof Layers]: Layer.Success<Layers[I]>
}[number]

type GivenByLast<Layers> = Layers extends readonly [...infer _, infer Last extends AnyLayer]
  ? Layer.Success<Last>
  : never

type Failures<Layers extends ReadonlyArray<AnyLayer>> = Layer.Error<Layers[number]>

/** What these need that none of those before them gives. */
type Needs<Layers, Known = never> = Layers extends readonly [
  Layer.Layer<infer Out, infer _E, infer In>,
  ...infer Rest,
]
  ? Exclude<In, Known> | Needs<Rest, Known | Out>
  : never
