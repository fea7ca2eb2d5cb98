/** Who acts. */
export { Actor, allGrants, CurrentActor, type Grant, userIdOf } from "./Actor.js"
