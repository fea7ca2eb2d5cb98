/** An instance as layers and services, for programs on Effect. */
export { type AccessPolicy, Services } from "@errata/core"
export { Capture, type CaptureFailure, type CaptureOptions } from "./Capture.js"
export type * from "./capture/CaptureContext.js"
export * as Errata from "./ErrataLayer.js"
export { FirstProject } from "./FirstProject.js"
export { GroupListeners, type Listener } from "./GroupListeners.js"
export { settled, Unrecorded } from "./Unrecorded.js"
