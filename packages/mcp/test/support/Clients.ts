/** The official clients, each speaking its own revision of the protocol with a server. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Application } from "./Application.js"

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly json: any
}

export interface McpClient {
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string }>>
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolResult>
  readonly read: (uri: string) => Promise<string>
  readonly prompt: (name: string, args: Record<string, string>) => Promise<string>
  readonly close: () => Promise<void>
}

export type Connect = (url: string, apiKey: string) => Promise<McpClient>

const info = { name: "errata-test", version: "0.0.0" }

const initOf = (apiKey: string) => ({ requestInit: { headers: { authorization: `Bearer ${apiKey}` } } })

/** By the revision that they speak. */
export const clients: Readonly<Record<string, Connect>> = {
  "client 2.x, 2026-07-28": async (url, apiKey) => {
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), initOf(apiKey)))
    return wrap(client)
  },
  "client 2.x, 2025-11-25": async (url, apiKey) => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), initOf(apiKey)))
    return wrap(client)
  },
  "sdk 1.x": async (url, apiKey) => {
    const client = new EarlierClient(info)
    // Its types and this workspace's settings disagree about optional fields.
    const transport = new EarlierTransport(new URL(`${url}/mcp`), initOf(apiKey))
    await client.connect(transport as Parameters<EarlierClient["connect"]>[0])
    return wrap(client)
  },
}

/** A client that has no credential yet. */
export interface Asking {
  readonly connect: () => Promise<void>
  /** Takes the parameters of the browser's redirect. */
  readonly finish: (callback: URLSearchParams) => Promise<void>
  readonly call: McpClient["call"]
  readonly close: () => Promise<void>
}

/** By the revision that they speak, as {@link clients} are. */
export const asApplication: Readonly<Record<string, (url: string, application: Application) => Asking>> = {
  "client 2.x, 2026-07-28": (url, application) =>
    asking(url, application, new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } })),
  "client 2.x, 2025-11-25": (url, application) => asking(url, application, new Client(info)),
  "sdk 1.x": (url, application) => {
    let client = new EarlierClient(info)
    const authProvider = application as EarlierProvider
    const open = () => new EarlierTransport(new URL(`${url}/mcp`), { authProvider })
    let transport = open()
    return {
      connect: async () => {
        client = new EarlierClient(info)
        transport = open()
        await client.connect(transport as Parameters<EarlierClient["connect"]>[0])
      },
      finish: (callback) => transport.finishAuth(callback.get("code") ?? ""),
      call: (name, args) => callOf(client, name, args),
      close: () => client.close(),
    }
  },
}

// internal

type EarlierProvider = NonNullable<
  NonNullable<ConstructorParameters<typeof EarlierTransport>[1]>["authProvider"]
>

/** A transport can be connected once: the one that was refused makes room for another. */
const asking = (url: string, application: Application, client: Client): Asking => {
  const open = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: application })
  let transport = open()
  return {
    connect: () => {
      transport = open()
      return client.connect(transport)
    },
    finish: (callback) => transport.finishAuth(callback),
    call: (name, args) => callOf(client, name, args),
    close: () => client.close(),
  }
}

const callOf = async (
  client: AnyClient,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> => {
  const result = (await client.callTool({ name, arguments: args })) as Said
  return {
    isError: result.isError === true,
    text: result.content.map(({ text }) => text).join(""),
    json: result.structuredContent,
  }
}

interface AnyClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<object>
  readonly readResource: (resource: { uri: string }) => Promise<object>
  readonly getPrompt: (prompt: { name: string; arguments: Record<string, string> }) => Promise<object>
  readonly close: () => Promise<void>
}

interface Said {
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly content: ReadonlyArray<{ readonly text: string }>
}

/** The clients check the results of tools against their output schemas once they have the list. */
const wrap = async (client: AnyClient): Promise<McpClient> => {
  const { tools } = await client.listTools()
  return {
    tools: async () => tools,
    call: (name, args) => callOf(client, name, args),
    read: async (uri) => {
      const { contents } = (await client.readResource({ uri })) as { contents: [{ text: string }] }
      return contents[0].text
    },
    prompt: async (name, args) => {
      const { messages } = (await client.getPrompt({ name, arguments: args })) as {
        messages: [{ content: { text: string } }]
      }
      return messages[0].content.text
    },
    close: () => client.close(),
  }
}
