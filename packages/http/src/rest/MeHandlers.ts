import { meView } from "@errata/api/internal"
import { AccessPolicy, CurrentActor, ErrataConfig, WebAddress } from "@errata/core"
import { Effect } from "effect"
import { version } from "../Version.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"me">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const { serviceName } = yield* ErrataConfig

    return handlers.handle("get", () =>
      Effect.gen(function* () {
        const instance = { version, base_url: yield* WebAddress, service_name: serviceName }
        return meView(yield* CurrentActor, instance, yield* access.instanceRules)
      }),
    )
  })
