/** For clients that start a program and speak with it over its standard input and output: it asks a server in their place. */
export { type Proxy, serve } from "./Proxy.js"
