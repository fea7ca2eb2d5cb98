/** The people who work with Errata. */
export { Role, User, UserId } from "./User.js"
