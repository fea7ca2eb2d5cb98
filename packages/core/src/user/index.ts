/** Users of Errata. */
export { Role, type User, UserId } from "./User.js"
