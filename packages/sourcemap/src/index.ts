/** Source maps and bundles of artifacts: how Errata finds, fetches and reads them, and maps frames with them. */

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
