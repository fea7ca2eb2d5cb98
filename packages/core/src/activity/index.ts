export { maxGroups, maxSteps } from "./ActivityBounds.js"
