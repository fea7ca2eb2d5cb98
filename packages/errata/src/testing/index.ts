/** A tracker for the tests of an application, with any test runner. */
export { type Expected, matches, type ReportedError } from "./Expectation.js"
export { createTestErrata, type TestErrata, type TestErrataOptions } from "./TestErrata.js"
