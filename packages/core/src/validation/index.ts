/** Validation of input. */
export * as DecodeIssues from "./DecodeIssues.js"
export { idListProblem, maxIds } from "./IdList.js"
export * as JsonBounds from "./JsonBounds.js"
export * as StorableText from "./StorableText.js"
export { ValidationError } from "./ValidationError.js"
