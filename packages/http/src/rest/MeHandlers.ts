import { meView } from "@errata/api"
import { AccessPolicy, CurrentActor, ErrataConfig } from "@errata/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { requestBaseUrl } from "../BaseUrl.js"
import type { HttpSettings } from "../HttpOptions.js"
import { version } from "../Version.js"
import type { ServedApi } from "./ServedApi.js"

export const layer = (api: ServedApi, settings: HttpSettings) =>
  HttpApiBuilder.group(api, "me", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const { serviceName } = yield* ErrataConfig

      return handlers.handle("get", () =>
        Effect.gen(function* () {
          const instance = {
            version,
            base_url: yield* requestBaseUrl(settings),
            service_name: serviceName,
          }
          return meView(yield* CurrentActor, instance, yield* access.instanceRules)
        }),
      )
    }),
  )
