/** Actors and their grants. */
export { Actor, allGrants, type CredentialGrant, CurrentActor, type Grant, userIdOf } from "./Actor.js"
