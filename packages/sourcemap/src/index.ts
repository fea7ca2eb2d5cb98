/** Source maps and bundles of artifacts, as Errata reads them. */

export * as ZipBundleReader from "./bundle/ZipBundleReader.js"
export * as Engine from "./Engine.js"
