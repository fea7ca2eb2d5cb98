/** Connects clients that communicate over standard input and output to a server. */
export { type Proxy, serve } from "./Proxy.js"
