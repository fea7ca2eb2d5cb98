// The conformance suite imports a function of Node 22 for a command that no test uses. On Node 20 there is none.
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
