import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted, Result } from "effect"
import { profileFolder, readProfile, removeProfile, writeProfile } from "../../src/api/Profile.js"
import { configHome } from "./support/Cli.js"

const within =
  (home: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown(Object.fromEntries([["XDG_CONFIG_HOME", home]])),
      ),
      Effect.provide(NodeServices.layer),
    )

const profile = { url: "http://127.0.0.1:4000", api_key: Redacted.make("errata_secret"), project: "2" }

describe("the profile", () => {
  it.effect("is kept in a file and a folder that only their owner can read", () =>
    Effect.gen(function* () {
      const home = yield* configHome
      expect(yield* within(home)(readProfile)).toEqual(Option.none())
      // A folder that already exists, readable by all.
      mkdirSync(join(home, "errata"), { mode: 0o755 })
      const path = yield* within(home)(writeProfile(profile))
      expect(path).toBe(join(home, "errata", "profile.json"))
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(home, "errata")).mode & 0o777).toBe(0o700)
      // Leaves no temporary file, and a second login replaces the profile.
      yield* within(home)(writeProfile({ ...profile, url: "http://127.0.0.1:4001" }))
      expect(readdirSync(join(home, "errata"))).toEqual(["profile.json"])
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
        url: "http://127.0.0.1:4001",
        api_key: "errata_secret",
        project: "2",
      })
      expect(Option.getOrThrow(yield* within(home)(readProfile)).url).toBe("http://127.0.0.1:4001")
      expect(yield* within(home)(removeProfile)).toBe(true)
      expect(yield* within(home)(removeProfile)).toBe(false)
    }),
  )

  // Node's recursive `mkdir` never returns there.
  it.effect.runIf(existsSync("/proc/self"))("fails if its folder cannot be created", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(within("/proc/errata")(writeProfile(profile)))).toMatchObject({
        _tag: "CommandFailed",
        message: expect.stringContaining("Writing the profile failed: "),
      })
    }),
  )

  it.effect("is rejected if others can read it, or if it is invalid", () =>
    Effect.gen(function* () {
      const home = yield* configHome
      const path = yield* within(home)(writeProfile(profile))
      const refusal = Effect.map(Effect.result(within(home)(readProfile)), (result) =>
        Result.match(result, { onFailure: ({ message }) => message, onSuccess: () => "" }),
      )
      for (const mode of [0o640, 0o604, 0o620]) {
        chmodSync(path, mode)
        expect(yield* refusal).toBe(
          `${path} contains an API key and is readable by other users. Run chmod 600 on it, or log in again.`,
        )
      }
      chmodSync(path, 0o600)
      writeFileSync(path, '{"url": 1, "api_key": "errata_secret"}')
      expect(yield* refusal).toBe(`${path} is not a valid profile. Log in again with errata login.`)
    }),
  )

  it("is in the platform's folder for configuration", () => {
    const none = { configHome: Option.none<string>(), appData: Option.none<string>(), home: "/home/me" }
    expect(profileFolder({ ...none, platform: "linux" })).toBe("/home/me/.config/errata")
    expect(profileFolder({ ...none, platform: "darwin", configHome: Option.some("/cfg") })).toBe(
      "/cfg/errata",
    )
    expect(profileFolder({ ...none, platform: "linux", configHome: Option.some("relative") })).toBe(
      "/home/me/.config/errata",
    )
    expect(profileFolder({ ...none, platform: "win32", appData: Option.some("/roaming") })).toBe(
      "/roaming/errata",
    )
  })
})
