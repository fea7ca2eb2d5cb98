/** Requests as raw bytes, which HTTP clients would not send. */
import { connect } from "node:net"
import type { Answered } from "./Ledger.js"

/** Sends bytes and returns the status of the first final response. */
export const ask = (base: string, bytes: Uint8Array, patience = 15_000): Promise<Answered> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base)
    const socket = connect({ host: hostname, port: Number(port) })
    let answer = ""
    const done = (answered: Answered) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answered)
    }
    const timer = setTimeout(() => done("silent"), patience)
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
      const status = /^HTTP\/1\.[01] (\d{3}) /.exec(answer)?.[1]
      // 100 only allows the body.
      if (status !== undefined && status !== "100") done(Number(status))
      else if (status === "100") answer = answer.slice(answer.indexOf("\r\n\r\n") + 4)
    })
    socket.on("error", () => done("broken"))
    socket.on("close", () => done("broken"))
    socket.write(bytes)
  })
