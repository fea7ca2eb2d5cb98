/** OAuth clients that are described by a document, which the server reads from the client's URL. */
import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Browser } from "../../http/test/support/Browser.js"
import { certificate, privateKey } from "../../storage-postgres/test/support/certificate.js"
import { send } from "./support/Rest.js"
import * as Server from "./support/Server.js"

const redirectUri = "https://tool.example.com/callback"

/** Serves documents over TLS. Provides its URL and the requested paths. */
const application = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
      const path = request.url ?? ""
      asked.push(path)
      if (path === "/moved.json") return response.writeHead(302, { location: "/client.json" }).end()
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ client_id: `${url}/client.json`, redirect_uris: [redirectUri] }))
    })
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    return { url, asked, server }
  }),
  ({ server }) =>
    Effect.promise(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }),
)

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "errata-cli-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true })),
)

it.live("reads the document of an application once, and requests nothing else", () =>
  Effect.gen(function* () {
    const { asked, url } = yield* application
    const trusted = join(yield* folder, "certificate.pem")
    writeFileSync(trusted, certificate)
    const errata = yield* Server.start(["--storage", "memory"], {
      NODE_EXTRA_CA_CERTS: trusted,
      ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
    })
    const { body } = yield* send(`${errata.url}/.well-known/oauth-authorization-server`)
    expect(JSON.parse(body.toString())).toMatchObject({ client_id_metadata_document_supported: true })

    const browser = new Browser({
      url: errata.url,
      fetch: async (path, init) => {
        const response = await fetch(errata.url + path, init)
        return { status: response.status, headers: response.headers, text: await response.text() }
      },
    })
    const ask = (clientId: string) =>
      Effect.promise(async () => {
        const { location, status } = await browser.visit(
          `/oauth/authorize?${new URLSearchParams({
            response_type: "code",
            client_id: clientId,
            redirect_uri: redirectUri,
            code_challenge: "a".repeat(43),
            code_challenge_method: "S256",
          })}`,
        )
        return [status, location?.split("?")[0]]
      })
    // Documents are read only for signed-in users.
    expect(yield* ask(`${url}/client.json`)).toEqual([303, "/sign_in"])
    expect(asked).toEqual([])

    const link = yield* send(`${errata.url}/api/service/v1/users/1/sign_in_link`, {
      method: "POST",
      headers: { authorization: `Bearer ${errata.apiKey}` },
    })
    yield* Effect.promise(() => browser.signIn(JSON.parse(link.body.toString()).sign_in_link))
    expect(yield* ask(`${url}/client.json`)).toEqual([200, undefined])
    expect(yield* ask(`${url}/client.json`)).toEqual([200, undefined])
    expect(yield* ask(`${url}/another.json`)).toEqual([400, undefined])
    expect(yield* ask(`${url}/moved.json`)).toEqual([400, undefined])
    expect(asked).toEqual(["/client.json", "/another.json", "/moved.json"])
  }),
)
