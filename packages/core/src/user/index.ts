/** The people who work with Errata. */
export { Role, type User, UserId } from "./User.js"
