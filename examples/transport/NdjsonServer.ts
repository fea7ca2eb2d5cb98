/** Accepts job failures over TCP: a line with the project's token, then one line of JSON per failure. */
import { createServer, type Socket } from "node:net"
import { ingestTransport } from "@errata/core"
import { Schema } from "effect"
import type { Errata } from "errata"

const Text = Schema.String.check(Schema.isMaxLength(8_192))
const read = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ id: Text, job: Text, error: Text })),
)

/** The server responds to each line with the outcome as a line of JSON. */
export const failures = ingestTransport({
  kind: "ndjson-failure",
  decode: (body) => {
    const { error, job } = read(new TextDecoder().decode(body))
    return { transaction: job, exceptions: [{ type: "JobFailure", value: error, frames: [] }] }
  },
  reply: (outcome) => `${JSON.stringify(outcome)}\n`,
})

/** A server for an instance with the option `transports: [failures]`. */
export const ndjsonServer = (errata: Errata) =>
  // A sender may close its side and still wait for responses.
  createServer({ allowHalfOpen: true }, (socket) => {
    converse(errata, socket).then(
      () => socket.end(),
      () => socket.destroy(),
    )
  })

// internal

const converse = async (errata: Errata, socket: Socket) => {
  let token: string | undefined
  for await (const line of linesOf(socket)) {
    if (token === undefined) token = String(line)
    else
      socket.write(
        await errata.receive(failures, { project: { token }, id: read(String(line)).id, body: line }),
      )
  }
}

const maxLineBytes = 64 * 1024

/** The lines of a socket. Fails if a line is too long. */
async function* linesOf(socket: Socket): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n")) {
      yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
    if (rest.length > maxLineBytes) throw new Error("the line is too long")
  }
}
