import { WebhookEvent } from "@errata/core"
import { Validator } from "@seriousme/openapi-schema-validator"
import { HttpApi, OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { apiPath, makeErrataApi } from "../src/index.js"

const api = makeErrataApi()
const document = OpenApi.fromApi(api)
const text = JSON.stringify(document)
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).map(
    ([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }),
  ),
)

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator()
    const result = await validator.validate({ ...document })
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document.openapi).toBe("3.1.0")
  })

  it("fails that validator once it is broken", async () => {
    const broken = { ...structuredClone(document), info: { title: "no version" } }
    expect((await new Validator().validate(broken)).valid).toBe(false)
  })

  it("has every endpoint of the contract, each with a summary and an id of its own", () => {
    const endpoints: Array<string> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) =>
        endpoints.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`),
    })
    expect(operations.map(({ name }) => name).sort()).toEqual(endpoints.sort())
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    for (const { name, operation } of operations) expect(operation.summary, name).toMatch(/^[A-Z].*[^.]$/)
  })

  it("matches docs/rest-operations.md", async () => {
    const tables = (document.tags ?? []).map(({ name }) => {
      const rows = operations
        .filter(({ operation }) => operation.tags?.includes(name))
        .map(
          ({ name, operation }) => `| \`${name.replace(apiPath("service"), "")}\` | ${operation.summary} |`,
        )
      return [`## ${name}`, "", "| Operation | Purpose |", "|---|---|", ...rows].join("\n")
    })
    const page = `# REST operations

Paths start with \`${apiPath("service")}\`. [REST API](rest.md) has the rules for all operations. Your server documents
parameters, bodies and examples at \`${apiPath("service")}/docs\`.

${tables.join("\n\n")}

Next: [Webhooks](webhooks.md), [Command line](cli.md).
`
    await expect(page).toMatchFileSnapshot("../../../docs/rest-operations.md")
  })

  it("has no unresolved references", () => {
    const references = Array.from(text.matchAll(/"\$ref":"#\/([^"]+)"/g), ([, path]) => path!)
    expect(references.length).toBeGreaterThan(100)
    for (const reference of new Set(references)) {
      const found = reference
        .split("/")
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document)
      expect(found, reference).toBeTypeOf("object")
    }
  })

  it("has every schema once", () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.includes("_"))).toEqual([])
  })

  it("names every problem once, and shows none of their tags", () => {
    expect(text).not.toContain('"_tag"')
    for (const { name, operation } of operations) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, name).toEqual(expect.arrayContaining(["401", "500", "503"]))
      const hasBody = operation.requestBody !== undefined
      for (const status of ["400", "413", "415", "422"]) {
        if (status !== "422" || hasBody) expect(statuses.includes(status), `${name} ${status}`).toBe(hasBody)
      }
      for (const status of statuses.filter((it) => Number(it) >= 400)) {
        expect(operation.responses[Number(status)], `${name} ${status}`).toEqual({
          $ref: expect.stringMatching(/^#\/components\/responses\/\w+$/),
        })
      }
    }
  })

  it("allows additional properties, and marks optional bodies", () => {
    expect(text).not.toContain('"additionalProperties":false')
    const optional = operations.filter(({ operation }) => {
      const body: { readonly required?: boolean } | undefined = operation.requestBody
      return body !== undefined && body.required !== true
    })
    expect(optional.map(({ operation }) => operation.operationId).sort()).toEqual([
      "groups.mute",
      "groups.resolve",
      "projects.mute",
    ])
  })

  it("has the service name in its paths", () => {
    const paths = Object.keys(OpenApi.fromApi(makeErrataApi("faults")).paths)
    expect(paths.every((path) => path.startsWith("/api/faults/v1/"))).toBe(true)
  })

  it("documents item types and length limits of lists", () => {
    const property = (schema: string, name: string) =>
      (
        document.components.schemas[schema] as
          | { readonly properties: Readonly<Record<string, unknown>> }
          | undefined
      )?.properties[name]
    expect(property("GroupIds", "group_ids")).toEqual({
      description: expect.any(String),
      type: "array",
      items: { type: "integer" },
      minItems: 1,
      maxItems: 1_000,
    })
    for (const schema of ["AppCreation", "AppUpdate"]) {
      expect(property(schema, "project_ids")).toEqual({
        description: expect.any(String),
        type: "array",
        items: { type: "integer", minimum: 1 },
        maxItems: 1_000,
      })
    }
    for (const schema of ["WebhookCreation", "WebhookUpdate"]) {
      expect(property(schema, "events")).toEqual({
        description: expect.any(String),
        type: "array",
        items: { type: "string", enum: WebhookEvent.literals },
        maxItems: 100,
      })
    }
  })
})
