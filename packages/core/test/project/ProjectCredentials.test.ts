import { expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { defaultSettings, ErrataConfig } from "../../src/ErrataConfig.js"
import { ProjectId, ProjectToken } from "../../src/project/Project.js"
import { ProjectCredentials } from "../../src/project/ProjectCredentials.js"
import { ProjectStore } from "../../src/project/ProjectStore.js"

const token = ProjectToken.make("a".repeat(32))

const timeToLive = Duration.seconds(5)

/** Answers after a second, as it was when it was asked. */
const slowStore = (state: { isDeleted: boolean }) =>
  Layer.succeed(ProjectStore, {
    findByToken: () =>
      Effect.suspend(() =>
        Effect.delay(
          Effect.succeed(state.isDeleted ? Option.none() : Option.some({ id: ProjectId.make(1), token })),
          "1 second",
        ),
      ),
  } as unknown as ProjectStore["Service"])

it.effect("a deleted project's token is not trusted longer than the time to live", () => {
  const state = { isDeleted: false }
  return Effect.gen(function* () {
    const credentials = yield* ProjectCredentials
    const find = Effect.fnUntraced(function* (elapsed: Duration.Input) {
      const fiber = yield* Effect.forkChild(credentials.find(token))
      yield* TestClock.adjust(elapsed)
      return Option.isSome(yield* Fiber.join(fiber))
    })
    expect(yield* find("1 second")).toBe(true)
    state.isDeleted = true
    // Between the end of the trust since asking and since the answer.
    yield* TestClock.adjust(Duration.subtract(timeToLive, Duration.millis(500)))
    yield* find("0 millis")
    yield* TestClock.adjust("600 millis")
    expect(yield* find("1 second")).toBe(false)
  }).pipe(
    Effect.provide(Layer.provide(ProjectCredentials.Default, slowStore(state))),
    Effect.provideService(ErrataConfig, {
      ...defaultSettings,
      intake: { ...defaultSettings.intake, credentialTtl: timeToLive },
    }),
  )
})
