/** Many services as one layer, in the order in which they need each other. */
import { Layer } from "effect"

/**
 * All services of the layers. In `inOrder(a, b, c)` each layer gets the services of those before it. They are closed in the
 * opposite order.
 */
export const inOrder = <const Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): Layer.Layer<Given<Layers>, Failures<Layers>, Needs<Layers>> =>
  // Only the types know the services of each layer.
  layers.reduce((before, next) => Layer.provideMerge(next, before)) as AnyLayer as Layer.Layer<
    Given<Layers>,
    Failures<Layers>,
    Needs<Layers>
  >

/** The services of the last layer only, which gets those of the layers before it. */
export const lastInOrder = <const Layers extends readonly [...ReadonlyArray<AnyLayer>, AnyLayer]>(
  ...layers: Layers
): Layer.Layer<GivenByLast<Layers>, Failures<Layers>, Needs<Layers>> =>
  Layer.provide(layers.at(-1)!, inOrder(...layers.slice(0, -1))) as AnyLayer as Layer.Layer<
    GivenByLast<Layers>,
    Failures<Layers>,
    Needs<Layers>
  >

// internal

type AnyLayer = Layer.Layer<never, unknown, unknown>

/** The services of each layer by itself. TypeScript infers none for a union of layers. */
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
