/** An application that people let in, as the official clients know one, and the person whom it asks. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import { expect } from "vitest"
import { type Browser, formOf } from "../../../http/test/support/Browser.js"

type Kept<Name extends "clientInformation" | "tokens" | "discoveryState"> = Awaited<
  ReturnType<NonNullable<OAuthClientProvider[Name]>>
>

const redirectUrl = "http://127.0.0.1:9/callback"

/** Keeps what it is given, and does nothing until its person has answered. */
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
  /** Where its person was to be sent, latest last. */
  readonly asked: Array<URL> = []
  #verifier = ""
  #discovered: Kept<"discoveryState">

  /** The address of its document, where it has one. */
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

/** The person in this browser approves what the application has asked for last; what the application is told. */
export const approve = async (browser: Browser, application: Application): Promise<URLSearchParams> =>
  (await approveAt(browser, application.asked.at(-1)!)).searchParams

/** The same at an address; answers where the browser is sent then. */
export const approveAt = async (browser: Browser, asked: URL): Promise<URL> => {
  const page = await browser.visit(asked.href)
  expect([page.status, page.location]).toEqual([200, null])
  const decided = await browser.send(formOf(page, "/oauth/authorize"), { decision: "approve" })
  expect(decided.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/)
  return new URL(decided.location!)
}
