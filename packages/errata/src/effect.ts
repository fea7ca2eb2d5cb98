/** An instance as layers and services, for programs on Effect. */
export { type AccessPolicy, Services } from "@errata/core"
export type {
  CaptureBreadcrumb,
  CaptureContext,
  CaptureRequest,
  CaptureUser,
  ProjectRef,
} from "@errata/effect/capture"
export { Capture, type CaptureFailure, type CaptureOptions } from "./Capture.js"
export * as Errata from "./ErrataLayer.js"
export { FirstProject } from "./FirstProject.js"
export { GroupListeners, type Listener } from "./GroupListeners.js"
export { settled, Unrecorded } from "./Unrecorded.js"
