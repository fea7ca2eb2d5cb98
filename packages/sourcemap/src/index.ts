/** Finds, fetches and reads source maps and artifact bundles, and maps frames with them. */

export * as Engine from "./Engine.js"
export * as HostedMapFetcher from "./hosted/HostedMapFetcher.js"
export { HostedMaps, HostedMapUnavailable } from "./hosted/HostedMaps.js"
export * as FrameMapping from "./mapping/FrameMapping.js"
export {
  type GeneratedScript,
  ReadingBudgetUsed,
  type SourceMap,
  SourceMapEngine,
  SourceMapUnreadable,
} from "./SourceMapEngine.js"
export * as ZipBundleReader from "./ZipBundleReader.js"
