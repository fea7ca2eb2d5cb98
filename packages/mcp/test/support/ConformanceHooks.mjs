// For a command that no test uses, the conformance suite imports a function of Node 22 that Node 20 lacks.
import { register } from "node:module"

const moduleOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`
const files = moduleOf(
  'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => { throw new Error("not here") }',
)
register(
  moduleOf(`
    const isSuite = (url) => url?.includes("/@modelcontextprotocol/conformance/")
    export const resolve = (specifier, context, next) =>
      specifier === "fs" && isSuite(context.parentURL)
        ? { url: ${JSON.stringify(files)}, shortCircuit: true }
        : next(specifier, context)
  `),
)

// The suite waits 500 to 1,500 ms for responses, which is too short on a busy machine. Extends these timeouts.
const patience = 10
const { setTimeout: within } = globalThis
globalThis.setTimeout = (callback, millis, ...args) =>
  within(callback, millis >= 500 && millis <= 1500 ? millis * patience : millis, ...args)
