import { Context, Effect, Layer } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import * as Layers from "../src/Layers.js"

class Leaves extends Context.Service<Leaves, string>()("test/Leaves") {}
class Tea extends Context.Service<Tea, string>()("test/Tea") {}
class Cup extends Context.Service<Cup, string>()("test/Cup") {}

const layerTea = Layer.effect(
  Tea,
  Effect.map(Leaves, (leaves) => `tea of ${leaves}`),
)
const layerCup = Layer.effect(
  Cup,
  Effect.map(Tea, (tea) => `cup of ${tea}`),
)

describe("layers in order", () => {
  it("stand on those before them, and give what all of them give", async () => {
    const layer = Layers.inOrder(Layer.succeed(Leaves, "mint"), layerTea, layerCup)
    expectTypeOf(layer).toEqualTypeOf<Layer.Layer<Leaves | Tea | Cup>>()
    const all = Effect.all([Leaves, Tea, Cup])
    expect(await Effect.runPromise(Effect.provide(all, layer))).toEqual([
      "mint",
      "tea of mint",
      "cup of tea of mint",
    ])
  })

  it("need what none before them gives", async () => {
    expectTypeOf(Layers.inOrder(layerTea, layerCup)).toEqualTypeOf<Layer.Layer<Tea | Cup, never, Leaves>>()
    // The wrong way round: the cup comes before there is tea.
    expectTypeOf(Layers.inOrder(layerCup, layerTea)).toEqualTypeOf<
      Layer.Layer<Tea | Cup, never, Leaves | Tea>
    >()
    const layer = Layer.provide(Layers.inOrder(layerTea, layerCup), Layer.succeed(Leaves, "sage"))
    expect(await Effect.runPromise(Effect.provide(Cup, layer))).toBe("cup of tea of sage")
  })

  it("are built once where others are built of the same ones", async () => {
    let built = 0
    const leaves = Layer.sync(Leaves, () => `leaves ${++built}`)
    const tea = Layer.provide(layerTea, leaves)
    const layer = Layer.merge(Layers.inOrder(leaves, tea), Layers.inOrder(leaves, layerTea, layerCup))
    const seen = await Effect.runPromise(Effect.provide(Effect.all([Leaves, Cup]), layer))
    expect(seen).toEqual(["leaves 1", "cup of tea of leaves 1"])
  })

  it("leave the services of whoever builds them alone", async () => {
    const layer = Layers.inOrder(Layer.succeed(Leaves, "mint"), layerTea)
    const program = Effect.gen(function* () {
      const built = yield* Layer.build(layer)
      return [yield* Leaves, Context.get(built, Leaves)]
    })
    const seen = Effect.provideService(Effect.scoped(program), Leaves, "sage")
    expect(await Effect.runPromise(seen)).toEqual(["sage", "mint"])
  })

  it("are closed the last one first, also where one of them cannot be built", async () => {
    const log: Array<string> = []
    const opened = <I>(tag: Context.Key<I, string>, name: string) =>
      Layer.effect(
        tag,
        Effect.acquireRelease(
          Effect.sync(() => {
            log.push(`open ${name}`)
            return name
          }),
          () => Effect.sync(() => log.push(`close ${name}`)),
        ),
      )
    const both = [opened(Leaves, "leaves"), opened(Tea, "tea")] as const
    await Effect.runPromise(Effect.provide(Effect.void, Layers.inOrder(...both)))
    expect(log.splice(0)).toEqual(["open leaves", "open tea", "close tea", "close leaves"])
    const broken = Layer.effect(Cup, Effect.fail("broken" as const))
    const layer = Layers.inOrder(...both, broken)
    expectTypeOf(layer).toEqualTypeOf<Layer.Layer<Leaves | Tea | Cup, "broken">>()
    expect(await Effect.runPromise(Effect.flip(Effect.provide(Cup, layer)))).toBe("broken")
    expect(log).toEqual(["open leaves", "open tea", "close tea", "close leaves"])
  })
})

describe("the last of layers in order", () => {
  it("stands on the others, and keeps what they give to itself", async () => {
    const layer = Layers.lastInOrder(Layer.succeed(Leaves, "mint"), layerTea, layerCup)
    expectTypeOf(layer).toEqualTypeOf<Layer.Layer<Cup>>()
    const names = (context: Context.Context<never>) => [...context.mapUnsafe.keys()]
    const built = await Effect.runPromise(Effect.scoped(Effect.map(Layer.build(layer), names)))
    expect(built).toContain(Cup.key)
    expect(built).not.toContain(Tea.key)
  })
})
