/** The server that the official conformance suite expects, on the transport of this package. */
import {
  acceptedContent,
  type CallToolResult,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { schemaOf, stringsOf } from "./FixtureSchemas.js"

/** The server must check the integrity of the state that clients return. */
const codec = createRequestStateCodec<{ readonly step: number }>({ key: "0123456789abcdef0123456789abcdef" })

const minutes = 60_000
const hint = { ttlMs: 5 * minutes, cacheScope: "private" } as const

export const makeServer: McpServerFactory = ({ era }) => {
  const server = new McpServer(
    { name: "errata-conformance", version: "0.0.0" },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, ...(era === "legacy" && { subscribe: true }) },
        completions: {},
        logging: {},
      },
      cacheHints: {
        "tools/list": hint,
        "prompts/list": hint,
        "resources/list": hint,
        "resources/templates/list": hint,
        "resources/read": hint,
        "server/discover": hint,
      },
      requestState: { verify: codec.verify },
    },
  )
  registerContents(server)
  registerReports(server)
  registerQuestions(server)
  registerResources(server)
  registerPrompts(server)
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false },
  }))
  if (era === "legacy") {
    server.server.setRequestHandler("resources/subscribe", () => ({}))
    server.server.setRequestHandler("resources/unsubscribe", () => ({}))
  }
  return server
}

// internal

/** A red pixel and an empty sound. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

const text = (content: string) => ({ type: "text", text: content }) as const
const said = (content: string): CallToolResult => ({ content: [text(content)] })

const registerContents = (server: McpServer): void => {
  const contents: Readonly<Record<string, CallToolResult["content"]>> = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [{ type: "image", data: png, mimeType: "image/png" }],
    test_audio_content: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
    test_embedded_resource: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      { type: "image", data: png, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: `Answers ${name}` }, () => ({ content }))
  }
  server.registerTool("test_error_handling", { description: "Always fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing")
  })
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Tools that send progress or log messages before their result. */
const registerReports = (server: McpServer): void => {
  server.registerTool(
    "test_tool_with_progress",
    { description: "Tells how far it is" },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          })
        }
        await pause()
      }
      return said("Done")
    },
  )
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    server.registerTool(name, { description: "Tells what it does" }, async ({ mcpReq }) => {
      await mcpReq.log("info", "Tool execution started")
      await pause()
      await mcpReq.log("info", "Tool processing data")
      await pause()
      await mcpReq.log("info", "Tool execution completed")
      return said("Done")
    })
  }
}

const elicit = (message: string, properties: Parameters<typeof stringsOf>[0]) =>
  inputRequired.elicit({ message, requestedSchema: stringsOf(properties) })

const sample = (question: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens,
  })

const responsesOf = ({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> =>
  (mcpReq.inputResponses ?? {}) as Readonly<Record<string, unknown>>

/** Tools that need input from the client or its user. */
const registerQuestions = (server: McpServer): void => {
  const ask = (
    name: string,
    requests: InputRequests,
    answer: (responses: Readonly<Record<string, unknown>>) => string,
  ) =>
    server.registerTool(name, { description: `Asks for ${Object.keys(requests).join(", ")}` }, (context) => {
      const responses = responsesOf(context)
      return Object.keys(requests).every((key) => key in responses)
        ? said(answer(responses))
        : inputRequired({ inputRequests: requests })
    })
  const nameRequest = elicit("What is your name?", { name: {} })
  for (const tool of ["test_input_required_result_elicitation", "test_streaming_elicitation"]) {
    server.registerTool(tool, { description: "Asks for a name" }, ({ mcpReq }) => {
      const answered = acceptedContent<{ readonly name?: unknown }>(mcpReq.inputResponses, "user_name")
      return typeof answered?.name === "string"
        ? said(`Hello, ${answered.name}!`)
        : inputRequired({ inputRequests: { user_name: nameRequest } })
    })
  }
  ask(
    "test_input_required_result_sampling",
    { capital_question: sample("What is the capital of France?") },
    ({ capital_question }) => JSON.stringify(capital_question),
  )
  ask("test_missing_capability", { question: sample("Anything?") }, ({ question }) =>
    JSON.stringify(question),
  )
  ask(
    "test_input_required_result_list_roots",
    { client_roots: inputRequired.listRoots() },
    ({ client_roots }) => JSON.stringify(client_roots),
  )
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks for what the client can give" },
    (context) => {
      if (Object.keys(responsesOf(context)).length > 0) return said("Done")
      const capabilities = server.server.getClientCapabilities() ?? {}
      return inputRequired({
        inputRequests: {
          ...("sampling" in capabilities && { greeting: sample("Generate a greeting", 50) }),
          ...("elicitation" in capabilities && { user_name: nameRequest }),
        },
      })
    },
  )
  registerStates(server, nameRequest)
}

/** Tools that return state to the client, which sends it back. */
const registerStates = (server: McpServer, nameRequest: InputRequests[string]): void => {
  const rounds: Readonly<Record<string, ReadonlyArray<InputRequests>>> = {
    test_input_required_result_request_state: [
      {
        confirm: inputRequired.elicit({
          message: "Please confirm",
          requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
        }),
      },
    ],
    test_input_required_result_tampered_state: [{ confirm: elicit("Please confirm", { ok: {} }) }],
    test_input_required_result_multiple_inputs: [
      {
        user_name: nameRequest,
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
    ],
    test_input_required_result_multi_round: [
      { step1: elicit("Step 1: What is your name?", { name: {} }) },
      { step2: elicit("Step 2: What is your favorite color?", { color: {} }) },
    ],
  }
  for (const [name, requests] of Object.entries(rounds)) {
    server.registerTool(name, { description: `Asks ${requests.length} times` }, async (context) => {
      const step = context.mcpReq.requestState<{ readonly step: number }>()?.step ?? 0
      const before = requests[step - 1]
      const isAnswered =
        before === undefined || Object.keys(before).every((key) => key in responsesOf(context))
      const next = isAnswered ? step : step - 1
      const inputRequests = requests[next]
      if (inputRequests === undefined) return said("state-ok")
      return inputRequired({ inputRequests, requestState: await codec.mint({ step: next + 1 }) })
    })
  }
}

const registerResources = (server: McpServer): void => {
  const description = "For the conformance suite"
  server.registerResource(
    "static-text",
    "test://static-text",
    { description, mimeType: "text/plain" },
    ({ href }) => ({
      contents: [
        { uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." },
      ],
    }),
  )
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description, mimeType: "image/png" },
    ({ href }) => ({ contents: [{ uri: href, mimeType: "image/png", blob: png }] }),
  )
  server.registerResource(
    "watched-resource",
    "test://watched-resource",
    { description, mimeType: "text/plain" },
    ({ href }) => ({ contents: [{ uri: href, mimeType: "text/plain", text: "Watched" }] }),
  )
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description, mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  )
}

const registerPrompts = (server: McpServer): void => {
  const description = "For the conformance suite"
  const user = <A>(content: A) => ({ role: "user" as const, content })
  server.registerPrompt("test_simple_prompt", { description }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }))
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description, argsSchema: schemaOf<{ arg1: string; arg2: string }>(stringsOf({ arg1: {}, arg2: {} })) },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description, argsSchema: schemaOf<{ resourceUri: string }>(stringsOf({ resourceUri: {} })) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: "resource" as const,
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  )
  server.registerPrompt("test_prompt_with_image", { description }, () => ({
    messages: [
      user({ type: "image" as const, data: png, mimeType: "image/png" }),
      user(text("Please analyze the image above.")),
    ],
  }))
  server.registerPrompt("test_input_required_result_prompt", { description }, (context) => {
    const answered = acceptedContent<{ readonly context?: unknown }>(
      context.mcpReq.inputResponses,
      "user_context",
    )
    return answered === undefined
      ? inputRequired({
          inputRequests: {
            user_context: elicit("What context should the prompt use?", { context: {} }),
          },
        })
      : { messages: [user(text(`Context: ${String(answered.context)}`))] }
  })
}
