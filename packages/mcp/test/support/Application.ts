/** An OAuth application as the official clients implement it, and a user who authorizes it. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import { expect } from "vitest"
import { type Browser, formOf } from "../../../http/test/support/Browser.js"

type Kept<Name extends "clientInformation" | "tokens" | "discoveryState"> = Awaited<
  ReturnType<NonNullable<OAuthClientProvider[Name]>>
>

const redirectUrl = "http://127.0.0.1:9/callback"

/** Stores credentials in memory. Authorization waits until the user has decided. */
export class Application implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = {
    client_name: "A coding tool",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  }
  information: Kept<"clientInformation">
  kept: Kept<"tokens">
  /** Authorization URLs, latest last. */
  readonly asked: Array<URL> = []
  #verifier = ""
  #discovered: Kept<"discoveryState">

  /** URL of its client metadata document, if it has one. */
  declare readonly clientMetadataUrl?: string

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  readonly clientInformation = () => this.information
  readonly saveClientInformation = (information: Kept<"clientInformation">) => {
    this.information = information
  }
  readonly tokens = () => this.kept
  readonly saveTokens = (tokens: Kept<"tokens">) => {
    this.kept = tokens
  }
  readonly codeVerifier = () => this.#verifier
  readonly saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  readonly discoveryState = () => this.#discovered
  readonly saveDiscoveryState = (discovered: Kept<"discoveryState">) => {
    this.#discovered = discovered
  }
  readonly redirectToAuthorization = (url: URL) => {
    this.asked.push(url)
  }
  readonly invalidateCredentials = (scope: "all" | "client" | "tokens" | "verifier" | "discovery") => {
    if (scope === "all" || scope === "tokens") this.kept = undefined
    if (scope === "all" || scope === "client") this.information = undefined
  }
}

/** Approves the latest request of the application in this browser. Returns the parameters of the redirect. */
export const approve = async (browser: Browser, application: Application): Promise<URLSearchParams> =>
  (await approveAt(browser, application.asked.at(-1)!)).searchParams

/** Approves the request at an authorization URL. Returns the redirect URI with its parameters. */
export const approveAt = async (browser: Browser, asked: URL): Promise<URL> => {
  const page = await browser.visit(asked.href)
  expect([page.status, page.location]).toEqual([200, null])
  const decided = await browser.send(formOf(page, "/oauth/authorize"), { decision: "approve" })
  expect(decided.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/)
  return new URL(decided.location!)
}
