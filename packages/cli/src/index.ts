export { errata, run } from "./Errata.js"
