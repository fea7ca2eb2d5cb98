/** An HTTPS server of scripts and source maps, on loopback addresses that stand for a public and a private one. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"

export const publicAddress = "127.0.0.1"
export const privateAddress = "127.0.0.2"

export type Route = (request: IncomingMessage, response: ServerResponse) => void

export interface Asked {
  /** With host and port. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The local address of the connection. */
  readonly address: string
}

export interface HostedServer {
  readonly port: number
  /** By path and query. Others respond with 404. */
  readonly routes: Map<string, Route>
  readonly asked: Array<Asked>
  readonly openConnections: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Responds with a body, as JavaScript by default. */
export const body =
  (content: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Route =>
  (_, response) => {
    response.writeHead(status, { "content-type": "text/javascript", ...headers }).end(content)
  }

export const redirect = (location: string, status = 302): Route => body("moved", { location }, status)

export const start = async (): Promise<HostedServer> => {
  const routes: HostedServer["routes"] = new Map()
  const asked: Array<Asked> = []
  const listen: Route = (request, response) => {
    const { headers, socket, url = "" } = request
    asked.push({ url: `https://${headers.host}${url}`, headers, address: socket.localAddress ?? "" })
    const route = routes.get(url) ?? body("not here", {}, 404)
    route(request, response)
  }
  const server = createServer({ cert: certificate, key: privateKey }, listen)
  await listening(server, 0, publicAddress)
  const { port } = server.address() as AddressInfo
  const secret = createServer({ cert: certificate, key: privateKey }, listen)
  await listening(secret, port, privateAddress)
  return {
    port,
    routes,
    asked,
    openConnections: () =>
      new Promise((resolve) => server.getConnections((_, connections) => resolve(connections))),
    stop: async () => {
      for (const each of [server, secret]) {
        each.closeAllConnections()
        await new Promise((resolve) => each.close(resolve))
      }
    },
  }
}

/** Self-signed, for `*.example.com` and `*.example.net`. */
export const certificate = `
-----BEGIN CERTIFICATE-----
MIIBiTCCATCgAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRTb3VyY2Ug
bWFwcyBvZiB0ZXN0czAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
HzEdMBsGA1UEAwwUU291cmNlIG1hcHMgb2YgdGVzdHMwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAATjdiGAJsgX5LH+eyuG2tOO3x25LGZ2sXfXfRDc4JkGFJ86INyg
ypHxKjtud1he3y60qrvfuwLplY7Nv6o5+F/Eo1swWTAnBgNVHREEIDAegg0qLmV4
YW1wbGUuY29tgg0qLmV4YW1wbGUubmV0MA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0O
BBYEFEl/61clwupQk6T/pCJErPMrOVzGMAoGCCqGSM49BAMCA0cAMEQCIDn+kmSN
yeQWkX/j/YCv7sakPHLKMjiwWW9F8EE0QC9uAiBJUm5vuiouzWCD2tQnf06EKCc2
HOspgv6Wi4o0KfOl3w==
-----END CERTIFICATE-----
`

// internal

const listening = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })

const privateKey = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfeXcOOK3tRfcYFJ0
PsdZj+mnHn8sV4kiDx4XZ7k9r8KhRANCAATjdiGAJsgX5LH+eyuG2tOO3x25LGZ2
sXfXfRDc4JkGFJ86INygypHxKjtud1he3y60qrvfuwLplY7Nv6o5+F/E
-----END PRIVATE KEY-----
`
