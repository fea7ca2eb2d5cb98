import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { writeProfile } from "../../src/api/Profile.js"
import { configHome, errata } from "./support/Cli.js"

/** A server that sends the same response to every request and keeps the requests. */
const answering = (status: number, body: string, contentType = "application/json") =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ url: string; requests: Array<IncomingMessage>; close: () => void }>((resolve) => {
          const requests: Array<IncomingMessage> = []
          const server = createServer((request, response) => {
            requests.push(request)
            response.writeHead(status, { "content-type": contentType }).end(body)
          })
          server.listen(0, "127.0.0.1", () =>
            resolve({
              url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              requests,
              close: () => server.close(),
            }),
          )
        }),
    ),
    ({ close }) => Effect.sync(close),
  )

const emptyPage = '{"projects":[],"next_cursor":null,"has_more":false}'

const loggedIn = Effect.fnUntraced(function* (url: string) {
  const home = yield* configHome
  yield* writeProfile({ url, api_key: Redacted.make("errata_of_profile"), project: "7" }).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown(Object.fromEntries([["XDG_CONFIG_HOME", home]])),
    ),
    Effect.provide(NodeServices.layer),
  )
  return { XDG_CONFIG_HOME: home }
})

const keys = (requests: ReadonlyArray<IncomingMessage>) =>
  requests.map(({ headers }) => headers.authorization)

describe("the connection", () => {
  it.live("prefers options to the environment, and the environment to the profile", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* answering(200, emptyPage)
      const home = yield* loggedIn(url)
      yield* errata(["projects", "list"], { env: home })
      yield* errata(["projects", "list"], { env: { ...home, ERRATA_API_KEY: "of_environment" } })
      yield* errata(["projects", "list", "--api-key", "of_option"], {
        env: { ...home, ERRATA_API_KEY: "of_environment" },
      })
      yield* errata(["projects", "list", "--url", `${url}/`], {
        env: { ...home, ERRATA_URL: "http://127.0.0.1:1" },
      })
      expect(keys(requests)).toEqual([
        "Bearer errata_of_profile",
        "Bearer of_environment",
        "Bearer of_option",
        "Bearer errata_of_profile",
      ])
    }),
  )

  it.live("never sends the profile's key or project to another server", () =>
    Effect.gen(function* () {
      const home = yield* loggedIn("https://errata.example.com")
      const other = yield* answering(200, emptyPage)
      const outcome = yield* errata(["projects", "list", "--url", other.url], { env: home })
      expect(outcome).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`No API key for ${other.url}`),
      })
      const listed = yield* errata(["groups", "list", "--url", other.url, "--api-key", "k"], { env: home })
      expect(listed).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("This API key has access to no project."),
      })
      // The chosen project belongs to the profile's server and is ignored here.
      expect(keys(other.requests)).toEqual(["Bearer k"])
    }),
  )

  it.live("needs no profile if everything is given", () =>
    Effect.gen(function* () {
      const { url } = yield* answering(200, emptyPage)
      const outcome = yield* errata(["projects", "list"], {
        // Not a profile file.
        env: { XDG_CONFIG_HOME: "/dev/null", ERRATA_URL: url, ERRATA_API_KEY: "k", ERRATA_PROJECT: "1" },
      })
      expect(outcome).toMatchObject({ code: 0, stderr: "No projects.\n" })
    }),
  )

  it.live("reports servers that do not respond or are not Errata, without the key", () =>
    Effect.gen(function* () {
      const page = yield* answering(200, "<html>Welcome</html>", "text/html")
      const notErrata = yield* errata([
        "projects",
        "list",
        "--url",
        page.url,
        "--api-key",
        "errata_secretsecret",
      ])
      expect(notErrata).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^errata: \S+ does not respond like an Errata server: .*\n$/),
      })
      // The port of a server that has just closed.
      const gone = yield* Effect.scoped(Effect.map(answering(200, ""), ({ url }) => url))
      const unreachable = yield* errata([
        "projects",
        "list",
        "--url",
        gone,
        "--api-key",
        "errata_secretsecret",
      ])
      expect(unreachable).toMatchObject({
        code: 6,
        stdout: "",
        stderr: expect.stringMatching(/^errata: \S+ is unreachable: .*\n$/),
      })
      const busy = yield* answering(
        503,
        '{"type":"about:blank","title":"Service Unavailable","status":503}',
        "application/problem+json",
      )
      const unavailable = yield* errata([
        "projects",
        "list",
        "--url",
        busy.url,
        "--api-key",
        "errata_secretsecret",
      ])
      expect(unavailable.code).toBe(6)
      const noKey = yield* errata(["projects", "list", "--url", page.url, "--api-key", "two words"])
      expect(noKey).toMatchObject({ code: 2, stderr: expect.stringContaining("This is not an API key") })
      for (const { stderr } of [notErrata, unreachable, unavailable])
        expect(stderr).not.toContain("secretsecret")
    }),
  )
})
