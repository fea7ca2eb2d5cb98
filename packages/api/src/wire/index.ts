/** The wire suite: what every Errata server must do over HTTP, for any server that one can point it at. */

export { open, type Person, type Wire } from "./Wire.js"
export type { WireCase, WireFile } from "./WireCase.js"
export { type Answer, type Sending, WireClient } from "./WireClient.js"
export { defineWireSuite, type StartedTarget, wireSuite } from "./WireSuite.js"
export type { WireReceiver, WireTarget, WireUser } from "./WireTarget.js"
