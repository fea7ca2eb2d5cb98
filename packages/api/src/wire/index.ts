/** The wire suite: tests for any Errata server over HTTP. */

export { open, type Person, type Wire } from "./Wire.js"
export type { WireCase, WireFile } from "./WireCase.js"
export { type Answer, type Sending, WireClient } from "./WireClient.js"
export { defineWireSuite, type StartedTarget, wireSuite } from "./WireSuite.js"
export type { WireReceiver, WireTarget, WireUser } from "./WireTarget.js"
