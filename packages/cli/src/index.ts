export { configurationPage } from "./ConfigurationPage.js"
export { errata, run } from "./Errata.js"
