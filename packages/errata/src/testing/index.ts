/** A tracker for the tests of an application: with vitest, `node:test` or whatever runs them. */
export { type Expected, matches, type ReportedError } from "./Expectation.js"
export { createTestErrata, type TestErrata, type TestErrataOptions } from "./TestErrata.js"
