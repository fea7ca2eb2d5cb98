/** Problem documents: their schemas, and functions that make them. */
export * from "./ProblemSchemas.js"
export * from "./Problems.js"
