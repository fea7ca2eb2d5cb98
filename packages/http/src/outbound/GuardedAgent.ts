/**
 * Agents that connect only to allowed addresses. Each connection resolves its name once, so that the name cannot
 * resolve differently after the check. The address of the connected socket is checked again before a byte is sent.
 */
import * as http from "node:http"
import * as https from "node:https"
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"

export interface Guard {
  readonly isAllowed: (address: string) => boolean
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
  /** In PEM. Undefined for Node's own. */
  readonly authorities: string | undefined
}

/** No address of the name is allowed. */
export class AddressNotAllowed extends Error {}

export class NameNotFound extends Error {}

/** Request options for these agents, besides Node's. */
export interface GuardedRequest {
  /** Aborts a connection attempt. Node only aborts the request that waits for it. */
  readonly abandoned: AbortSignal
}

export const makeAgents = (guard: Guard): { readonly http: http.Agent; readonly https: https.Agent } => {
  const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) }
  const countFree = () =>
    [agents.http, agents.https]
      .flatMap(({ freeSockets }) => Object.values(freeSockets))
      .reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0)
  for (const agent of [agents.http, agents.https]) {
    const secure = agent === agents.https
    const internals = agent as unknown as AgentInternals
    const keepSocketAlive = internals.keepSocketAlive
    internals.createConnection = (options, done) => connect(guard, options, secure, done)
    // The limit is for all receivers together; each may have several sockets.
    internals.keepSocketAlive = (socket) => countFree() < maxFree && keepSocketAlive.call(agent, socket)
  }
  return agents
}

// internal

/** The methods that agents override by Node's documentation, with its types. */
interface AgentInternals {
  createConnection: (options: ConnectOptions, done: Done) => undefined
  keepSocketAlive: (socket: Duplex) => boolean
}

type Done = (error: Error | null, socket?: Socket) => void

interface ConnectOptions extends GuardedRequest {
  readonly host: string
  readonly port: number
  readonly servername?: string
}

const maxFree = 256

/** Idle sockets close soon. Receivers with many requests find them open. */
const agentOptions = { keepAlive: true, maxFreeSockets: 20, timeout: 4000 }

const lookupOf =
  ({ isAllowed, resolve }: Guard): LookupFunction =>
  (name, options, done) => {
    resolve(name).then(
      (addresses) => {
        const allowed = addresses
          .filter(isAllowed)
          .map((address) => ({ address, family: isIP(address) }))
          .filter(
            ({ family }) => options.family === 0 || options.family === undefined || options.family === family,
          )
        const [first] = allowed
        if (first === undefined) {
          done(addresses.length === 0 ? new NameNotFound(name) : new AddressNotAllowed(name), [])
        } else if (options.all === true) done(null, allowed)
        else done(null, first.address, first.family)
      },
      () => done(new NameNotFound(name), []),
    )
  }

const connect = (
  guard: Guard,
  { abandoned, host, port, servername }: ConnectOptions,
  secure: boolean,
  done: Done,
): undefined => {
  // Node does not call `lookup` for IP addresses.
  if (isIP(host) !== 0 && !guard.isAllowed(host)) {
    done(new AddressNotAllowed(host))
    return
  }
  const socket = connectTcp({ host, port, lookup: lookupOf(guard), autoSelectFamily: true, noDelay: true })
  let ready: Socket = socket
  const abandon = () => ready.destroy()
  const fail = (error: Error) => {
    abandoned.removeEventListener("abort", abandon)
    ready.destroy()
    socket.destroy()
    done(error)
  }
  const succeed = () => {
    abandoned.removeEventListener("abort", abandon)
    socket.off("error", fail)
    ready.off("error", fail)
    done(null, ready)
  }
  abandoned.addEventListener("abort", abandon, { once: true })
  socket.once("error", fail)
  socket.once("connect", () => {
    if (!guard.isAllowed(socket.remoteAddress ?? "")) return fail(new AddressNotAllowed(host))
    if (!secure) return succeed()
    ready = connectTls({
      socket,
      host,
      ALPNProtocols: ["http/1.1"],
      ...(servername && { servername }),
      ...(guard.authorities !== undefined && { ca: guard.authorities }),
    })
    ready.once("error", fail)
    ready.once("secureConnect", succeed)
  })
}
