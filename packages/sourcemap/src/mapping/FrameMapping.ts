/** The layers that map frames. Programs that only record, or that fetch nothing, need no hosted maps. */
import { ErrataConfig } from "@errata/core"
import {
  type ArtifactStore,
  type BlobStore,
  FrameMapper,
  type PolicyStore,
  type SourcemapStore,
} from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { AuthorizedOrigins } from "../hosted/AuthorizedOrigins.js"
import { HostedMaps } from "../hosted/HostedMaps.js"
import { SourceMapEngine } from "../SourceMapEngine.js"
import * as EventMapper from "./EventMapper.js"
import * as FirstLook from "./FirstLook.js"
import * as LateMapping from "./LateMapping.js"
import * as UploadedMapping from "./UploadedMapping.js"

type Needs = ArtifactStore | BlobStore | PolicyStore | SourceMapEngine | SourcemapStore

const make = Effect.fnUntraced(function* (hosted: HostedMaps["Service"] | null) {
  const { sourcemaps: settings } = yield* ErrataConfig
  const mapper = yield* EventMapper.make(yield* SourceMapEngine)
  return {
    begin: FirstLook.make(mapper, settings.lookupLife),
    mapUploaded: yield* UploadedMapping.make(mapper, settings),
    ...LateMapping.make(mapper, hosted),
  }
})

/** Maps with uploaded maps. */
export const layer: Layer.Layer<never, never, Needs> = Layer.provide(
  Layer.effect(FrameMapper, make(null)),
  AuthorizedOrigins.Default,
)

/** Maps with uploaded maps and hosted ones. */
export const layerHosted: Layer.Layer<never, never, Needs | HostedMaps> = Layer.provide(
  Layer.effect(FrameMapper, Effect.flatMap(HostedMaps, make)),
  AuthorizedOrigins.Default,
)
