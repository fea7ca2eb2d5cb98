/** Source maps and bundles of artifacts, as Errata reads them. */

export * as Engine from "./Engine.js"
export * as ZipBundleReader from "./ZipBundleReader.js"
