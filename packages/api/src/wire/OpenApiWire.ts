import { expect } from "vitest"
import type { Json } from "./Json.js"
import { parametersOf } from "./OpenApiSchemas.js"
import { routes } from "./Routes.js"
import { type WireFile, wireCase } from "./WireCase.js"

const groupFilters = ["query", "status", "resolved", "since", "until"]

/** The parameters of lists beside `limit` and `cursor`. */
const parameters: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/projects": ["name"],
  "/projects/{project_id}/activity": ["since", "until", "step", "group_ids"],
  "/projects/{project_id}/releases": ["version"],
  "/groups": [...groupFilters, "sort", "include", "project_ids"],
  "/projects/{project_id}/groups": [...groupFilters, "sort", "include"],
  "/projects/{project_id}/groups/count": groupFilters,
  "/projects/{project_id}/tags/{key}/values": ["limit", "prefix"],
  "/projects/{project_id}/groups/{group_id}/reports": ["since", "until"],
  "/projects/{project_id}/webhooks/{webhook_id}/deliveries": ["event", "success"],
  "/projects/{project_id}/notifications": ["target_id", "rule_id", "group_id", "status"],
  "/paused_addresses": ["after", "limit"],
  "/projects/{project_id}/groups/{group_id}/reports/{report_id}": ["frames", "include"],
  "/projects/{project_id}/groups/{group_id}/reports/latest": ["frames", "include"],
  "/projects/{project_id}/reports/{event_id}": ["frames", "include"],
  "/reports/{event_id}": ["frames", "include"],
  "POST /data_retention/runs": ["kind"],
}

const resolved = (document: Json, value: Json): Json =>
  value?.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split("/")
        .reduce((part: Json, key: string) => part[key], document)

export const openApiWire: WireFile = {
  name: "OpenApi",
  cases: [
    wireCase("is a document of version 3.1 with schemas that compile", async (wire) => {
      const { openapi, schemas } = wire
      expect(openapi.openapi).toMatch(/^3\.1\.\d+$/)
      expect(openapi.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
      expect(schemas.operations.length).toBeGreaterThan(0)
      expect(schemas.compileAll()).toEqual([])
    }),

    wireCase("documents security, statuses and error responses of every route", async (wire) => {
      const { openapi, schemas } = wire
      const ids = new Set<string>()
      for (const { definition, method, template } of schemas.operations) {
        const what = `${method} ${template}`
        ids.add(definition.operationId)
        expect([what, definition.summary?.trim() ?? ""]).not.toEqual([what, ""])
        expect([what, definition.security ?? openapi.security ?? []]).not.toEqual([what, []])
        const statuses = Object.keys(definition.responses)
        expect([what, statuses]).toEqual([what, expect.arrayContaining(["401", "500", "503"])])
        const { access, body } = routes.find((route) => `${route.method} ${route.template}` === what)!
        if (access !== "everyone" && !template.endsWith("{event_id}"))
          expect([what, statuses]).toEqual([what, expect.arrayContaining(["403"])])
        if (parametersOf(template).length > 0)
          expect([what, statuses]).toEqual([what, expect.arrayContaining(["404"])])
        if (body !== undefined)
          expect([what, statuses]).toEqual([what, expect.arrayContaining(["400", "413", "415", "422"])])
        expect([what, body === undefined]).toEqual([what, definition.requestBody === undefined])
        for (const [status, response] of Object.entries(definition.responses)) {
          if (Number(status) >= 400) {
            expect([what, status, Object.keys(resolved(openapi, response).content)]).toEqual([
              what,
              status,
              ["application/problem+json"],
            ])
          }
        }
      }
      expect(ids.size).toBe(schemas.operations.length)
    }),

    wireCase("names every parameter of path and query", async ({ openapi, schemas }) => {
      for (const { definition, method, template } of schemas.operations) {
        const declared: ReadonlyArray<Json> = (definition.parameters ?? []).map((one: Json) =>
          resolved(openapi, one),
        )
        const inPath = declared.filter((one) => one.in === "path")
        expect([template, inPath.map(({ name }) => name)]).toEqual([template, parametersOf(template)])
        for (const { required } of inPath) expect(required).toBe(true)
        const inQuery = declared.filter((one) => one.in === "query")
        const isList = "next_cursor" in (answerOf(openapi, definition).properties ?? {})
        const own = parameters[method === "GET" ? template : `${method} ${template}`] ?? []
        const expected = [...own, ...(isList ? ["limit", "cursor"] : [])]
        expect([template, inQuery.map(({ name }) => name).sort()]).toEqual([template, expected.sort()])
        for (const { required } of inQuery) expect(required ?? false).toBe(false)
      }
    }),

    wireCase("marks bodies as optional if they can be omitted", async ({ schemas }) => {
      for (const template of [
        "/projects/{project_id}/mute",
        "/projects/{project_id}/groups/{group_id}/mute",
      ]) {
        const operation = schemas.find("POST", template)
        expect([template, operation?.definition.requestBody.required ?? false]).toEqual([template, false])
      }
      expect(schemas.find("POST", "/projects")?.definition.requestBody.required).toBe(true)
    }),

    wireCase("describes every property and every parameter", async ({ openapi, schemas }) => {
      const bare: Array<string> = []
      const { components, paths } = openapi
      for (const [pointer, properties] of propertiesIn({ components, paths })) {
        for (const [name, schema] of Object.entries<Json>(properties)) {
          if (!isSentence(schema.description)) bare.push(`${pointer}/${name}`)
        }
      }
      for (const { definition, method, template } of schemas.operations) {
        for (const declared of definition.parameters ?? []) {
          const parameter = resolved(openapi, declared)
          const description = parameter.description ?? parameter.schema.description
          if (!isSentence(description)) bare.push(`${method} ${template} ${parameter.name}`)
        }
      }
      expect(bare).toEqual([])
    }),

    wireCase("has an example of every body, and every one is valid", async ({ openapi, schemas }) => {
      const wrong: Array<string> = []
      let examples = 0
      for (const operation of schemas.operations) {
        const { definition, method, template } = operation
        const told = (what: string, example: unknown, problem: () => string | null) => {
          examples++
          const found = example === undefined ? "has no example" : problem()
          if (found !== null) wrong.push(`${method} ${template} ${what}: ${found}`)
        }
        const request = definition.requestBody?.content["application/json"]
        if (request !== undefined) {
          told("request", request.example, () => schemas.problemOfRequest(operation, request.example))
        }
        for (const [status, response] of Object.entries(definition.responses)) {
          const content = resolved(openapi, response).content ?? {}
          for (const [mediaType, { example }] of Object.entries<Json>(content)) {
            // Bytes are shown by nothing.
            if (template.endsWith("{attachment_id}") && status === "200") continue
            told(status, example, () =>
              schemas.problemOfAnswer(operation, Number(status), mediaType, example),
            )
          }
        }
      }
      expect(wrong).toEqual([])
      expect(examples).toBeGreaterThan(schemas.operations.length)
    }),

    wireCase("is compressed if the client accepts that", async ({ apiUrl, openapi }) => {
      for (const path of ["openapi.json", "docs"]) {
        for (const coding of ["br", "gzip", "identity"]) {
          const headers = { "accept-encoding": coding }
          const response = await fetch(`${apiUrl}/${path}`, { headers })
          expect(response.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding)
          expect(response.headers.get("vary")?.toLowerCase()).toContain("accept-encoding")
          const text = await response.text()
          if (path === "openapi.json") expect(JSON.parse(text)).toEqual(openapi)
          else expect(text).toContain("</html>")
        }
      }
    }),

    wireCase("is served as JSON, also to those without a key", async ({ apiUrl, openapi }) => {
      const response = await fetch(`${apiUrl}/openapi.json`)
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toMatch(/^application\/json/)
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect(await response.json()).toEqual(openapi)
      const head = await fetch(`${apiUrl}/openapi.json`, { method: "HEAD" })
      expect([head.status, await head.text()]).toEqual([200, ""])
      const post = await fetch(`${apiUrl}/openapi.json`, { method: "POST" })
      expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    }),

    wireCase("has a page for people that loads nothing from elsewhere", async ({ apiUrl }) => {
      const response = await fetch(`${apiUrl}/docs`)
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toMatch(/^text\/html/)
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect(response.headers.get("x-frame-options")).toBe("DENY")
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/https?:|\*|'unsafe-eval'/)
      const page = await response.text()
      expect(page).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?\/\//i)
    }),
  ],
}

// internal

const answerOf = (document: Json, { responses }: Json): Json =>
  resolved(document, resolved(document, responses["200"])?.content?.["application/json"]?.schema) ?? {}

const isSentence = (text: unknown): boolean => typeof text === "string" && text.trim().length > 3

/** Paths and names of the properties in schemas, without examples. */
const propertiesIn = (
  value: Json,
  pointer = "",
): ReadonlyArray<readonly [pointer: string, properties: Json]> => {
  if (typeof value !== "object" || value === null) return []
  const own = isSchemaOfObject(value) ? [[pointer, value.properties] as const] : []
  const below = Object.entries<Json>(value)
    .filter(([key]) => key !== "example" && key !== "examples")
    .flatMap(([key, part]) => propertiesIn(part, `${pointer}/${key}`))
  return [...own, ...below]
}

const isSchemaOfObject = (value: Json): boolean => value.type === "object" && value.properties !== undefined
