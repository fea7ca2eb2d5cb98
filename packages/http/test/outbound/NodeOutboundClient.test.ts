/** Requests reach only public addresses. Receivers may misbehave. */
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, createServer as createTcpServer, isIPv4, type Socket } from "node:net"
import { defaultSettings, ErrataConfig } from "@errata/core"
import { OutboundClient, type OutboundRequest } from "@errata/core/ports"
import { Duration, Effect, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { NodeOutboundClient } from "../../src/index.js"
import { NameResolver, parseHosts } from "../../src/outbound/NameResolver.js"
import { notPublic } from "./addresses.js"

let seen: Array<{ url: string; body: string; port: number }>
let answer: RequestListener
let server: Server
let port: number

beforeEach(async () => {
  seen = []
  answer = (_, response) => response.end("ok")
  server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      seen.push({ url: request.url ?? "", body, port: request.socket.remotePort ?? 0 })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

type Resolve = (name: string) => Promise<ReadonlyArray<string>>

interface Options {
  readonly resolve?: Resolve
  readonly isAnyAllowed?: boolean
}

const withClient = <A, E>(
  { isAnyAllowed = false, resolve }: Options,
  use: (client: OutboundClient["Service"]) => Effect.Effect<A, E>,
): Promise<A> =>
  Effect.flatMap(OutboundClient, use).pipe(
    Effect.provide(NodeOutboundClient.layer),
    Effect.provide(resolve === undefined ? Layer.empty : Layer.succeed(NameResolver, resolve)),
    Effect.provideService(ErrataConfig, { ...defaultSettings, allowPrivateAddresses: isAnyAllowed }),
    Effect.runPromise,
  )

const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: '{"é":1}',
  timeout: Duration.seconds(60),
  maxBodyBytes: 1024,
  ...more,
})

/** The status, or the tag and the reason of the failure. */
const outcome = (client: OutboundClient["Service"], request: OutboundRequest) =>
  client.send(request).pipe(
    Effect.map(({ status }): string => String(status)),
    Effect.catch(({ _tag, reason }) => Effect.succeed(`${_tag} ${reason}`)),
  )

const refused = "OutboundRefused private_address"

describe("requests", () => {
  it("are rejected for every address that is not public, literal or resolved", async () => {
    const literal = (address: string) => (isIPv4(address) ? address : `[${address}]`)
    const names = new Map(notPublic.map((address, i) => [`host${i}.test`, address]))
    const resolve: Resolve = async (name) => [names.get(name)!]
    const urls = [
      ...notPublic.map((address) => `http://${literal(address)}:${port}/`),
      ...[...names.keys()].flatMap((name) => [`http://${name}:${port}/`, `https://${name}:${port}/`]),
      // Other notations of loopback addresses.
      ...["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "0"].map(
        (host) => `http://${host}:${port}/`,
      ),
    ]
    const outcomes = await withClient({ resolve }, (client) =>
      Effect.forEach(urls, (url) => outcome(client, post(url)), { concurrency: 20 }),
    )
    const wrong = urls.filter((_, i) => outcomes[i] !== refused)
    expect(wrong).toEqual([])
    expect(seen).toEqual([])
  })

  it("connect to the checked address, even if the name's addresses change", async () => {
    let lookups = 0
    // A check would see the first result, a connection the next ones.
    const resolve: Resolve = async () => [lookups++ === 0 ? "203.0.113.1" : "127.0.0.1"]
    const outcomes = await withClient({ resolve }, (client) =>
      Effect.replicateEffect(outcome(client, post(`http://rebinding.test:${port}/`)), 4),
    )
    expect(outcomes).toEqual([refused, refused, refused, refused])
    // One lookup per connection: the check and the connection use the same result.
    expect(lookups).toBe(4)
    expect(seen).toEqual([])
  })

  it("skip addresses of a name that are not public", async () => {
    const resolve: Resolve = async () => ["127.0.0.1", "10.0.0.1", "::1"]
    const url = `http://mixed.test:${port}/`
    expect(await withClient({ resolve }, (client) => outcome(client, post(url)))).toBe(refused)
    expect(await withClient({ isAnyAllowed: true, resolve }, (client) => outcome(client, post(url)))).toBe(
      "200",
    )
  })

  it("do not reach this machine by names in the hosts file", async () => {
    for (const name of ["localhost", "LOCALHOST", "localhost."]) {
      const url = `http://${name}:${port}/`
      expect(await withClient({}, (client) => outcome(client, post(url)))).toBe(refused)
    }
    expect(seen).toEqual([])
  })

  it("send the given request, on reused connections", async () => {
    const send = (path: string) => post(`http://127.0.0.1:${port}${path}`)
    answer = (_, response) => response.writeHead(202, { "Retry-After": "7" }).end("taken")
    const answers = await withClient({ isAnyAllowed: true }, (client) =>
      Effect.forEach(["/a?b=c", "/d"], (path) => client.send(send(path))),
    )
    expect(answers[0]).toMatchObject({ status: 202, headers: { "retry-after": "7" } })
    expect(Buffer.from(answers[0]!.body).toString()).toBe("taken")
    expect(seen.map(({ body, url }) => [url, body])).toEqual([
      ["/a?b=c", '{"é":1}'],
      ["/d", '{"é":1}'],
    ])
    expect(seen[0]!.port).toBe(seen[1]!.port)
  })

  it("are sent again if a reused connection was closed", async () => {
    answer = (request, response) => {
      // The second request on a connection is cut.
      if (seen.filter(({ port }) => port === request.socket.remotePort).length > 1) request.socket.destroy()
      else response.end("ok")
    }
    const url = `http://127.0.0.1:${port}/`
    const outcomes = await withClient({ isAnyAllowed: true }, (client) =>
      Effect.replicateEffect(outcome(client, post(url)), 3),
    )
    expect(outcomes).toEqual(["200", "200", "200"])
  })

  it("follow no redirects or protocol upgrades", async () => {
    answer = (_, response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/other` }).end()
    const url = `http://127.0.0.1:${port}/`
    expect(await withClient({ isAnyAllowed: true }, (client) => outcome(client, post(url)))).toBe("307")
    answer = (request) => {
      request.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
    }
    expect(await withClient({ isAnyAllowed: true }, (client) => outcome(client, post(url)))).toBe("101")
    expect(seen.map((request) => request.url)).toEqual(["/", "/"])
  })

  it("read a response up to the limit, and discard the rest", async () => {
    let closed = false
    answer = (_, response) => {
      response.on("close", () => {
        closed = true
      })
      response.write("x".repeat(100_000))
    }
    const url = `http://127.0.0.1:${port}/`
    const { body, status } = await withClient({ isAnyAllowed: true }, (client) => client.send(post(url)))
    expect([status, body.byteLength]).toEqual([200, 1024])
    await expect.poll(() => closed, { timeout: 20_000 }).toBe(true)
  })

  it("end at their timeout despite slow responses, and leave no connection open", async () => {
    const drips: ReadonlyArray<RequestListener> = [
      // No response, an endless head, an endless body.
      () => {},
      (request) => {
        request.socket.write("HTTP/1.1 200 OK\r\n")
        const timer = setInterval(() => request.socket.write("x: y\r\n"), 20)
        request.socket.once("close", () => clearInterval(timer))
      },
      (_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write("."), 20)
        response.once("close", () => clearInterval(timer))
      },
    ]
    for (const drip of drips) {
      answer = drip
      const request = post(`http://127.0.0.1:${port}/`, { timeout: Duration.millis(150) })
      const came = await withClient({ isAnyAllowed: true }, (client) => outcome(client, request))
      expect(came).toBe("OutboundFailed timeout")
    }
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
    await expect.poll(open, { timeout: 20_000 }).toBe(0)
  })

  it("report the kind of connection failure", async () => {
    const sockets = new Set<Socket>()
    const babble = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.end("this is not HTTP\r\n\r\n")
    })
    await new Promise<void>((resolve) => babble.listen(0, "127.0.0.1", resolve))
    const other = (babble.address() as AddressInfo).port
    const resolve: Resolve = async () => []
    const of = (url: string, options: Options = {}) =>
      withClient({ isAnyAllowed: true, ...options }, (client) => outcome(client, post(url)))
    expect(await of(`http://127.0.0.1:${other}/`)).toBe("OutboundFailed protocol")
    expect(await of(`https://127.0.0.1:${other}/`)).toBe("OutboundFailed tls")
    expect(await of("http://nowhere.test/", { resolve })).toBe("OutboundFailed name_not_found")
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => babble.close(done))
    expect(await of(`http://127.0.0.1:${other}/`)).toBe("OutboundFailed connection")
    for (const url of ["ftp://a.test/", "nonsense", ""]) {
      expect(await of(url)).toBe("OutboundRefused invalid_url")
    }
  })
})

describe("files of hosts", () => {
  it("are parsed like the system's hosts file", () => {
    const hosts = parseHosts(
      "# a comment\n10.0.0.7\tdb.internal DB # the database\n::2 db.internal\n\nbroken\n",
    )
    expect(hosts.get("db.internal")).toEqual(["10.0.0.7", "::2"])
    expect(hosts.get("db")).toEqual(["10.0.0.7"])
    expect(hosts.get("localhost")).toEqual(["127.0.0.1", "::1"])
    expect(hosts.get("broken")).toBeUndefined()
  })
})
