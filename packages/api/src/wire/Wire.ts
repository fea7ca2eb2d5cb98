/** The server under test with its users, and helpers of the cases. */
import { createHash, randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Json } from "./Json.js"
import { OpenApiSchemas } from "./OpenApiSchemas.js"
import { WireClient } from "./WireClient.js"
import type { WireTarget, WireUser } from "./WireTarget.js"

/** A client with the key of a user. */
export interface Person extends WireClient {
  readonly id: number
  readonly emailAddress: string
}

/** The tools of a case of the suite. */
export interface Wire {
  readonly target: WireTarget
  readonly apiUrl: string
  readonly schemas: OpenApiSchemas
  readonly admin: Person
  readonly member: Person
  readonly stranger: Person
  /** Sends no API key. */
  readonly nobody: WireClient
  /** Returns a client with another API key. */
  readonly caller: (apiKey: string | null) => WireClient
  /** A user who was deactivated after calls with the key, and the project that the user was a member of. */
  readonly leaver: () => Promise<{ readonly person: Person; readonly projectId: number }>
  readonly openapi: Json
}

/** Connects to a server under test for the cases of a file. */
export const open = async (target: WireTarget): Promise<Wire> => {
  const apiPath = target.apiPath ?? "/api/service/v1"
  const apiUrl = target.baseUrl + apiPath
  const response = await fetch(`${apiUrl}/openapi.json`)
  if (response.status !== 200) throw new Error(`${apiUrl}/openapi.json answered ${response.status}`)
  const openapi: Json = await response.json()
  const schemas = new OpenApiSchemas(openapi, new URL(apiUrl).pathname)

  const people = [target.admin, target.member, target.stranger, target.leaver]
  const keys = people.map(({ apiKey }) => apiKey)
  const secrets = [...keys, ...keys.map((key) => createHash("sha256").update(key).digest("hex"))]
  const caller = (apiKey: string | null) => new WireClient({ apiUrl, apiKey, schemas, secrets })

  const users = await usersOf(caller(target.admin.apiKey))
  const person = ({ apiKey, emailAddress }: WireUser): Person => {
    const user = users.find(({ email_address }) => email_address === emailAddress)
    if (user === undefined) throw new Error(`${emailAddress} is not an active user of ${target.baseUrl}`)
    return Object.assign(caller(apiKey), { id: user.id as number, emailAddress })
  }
  const [admin, member, stranger, leaving] = people.map(person) as [Person, Person, Person, Person]
  let left: ReturnType<Wire["leaver"]> | undefined
  return {
    target,
    apiUrl,
    schemas,
    admin,
    member,
    stranger,
    nobody: caller(null),
    caller,
    openapi,
    leaver: () => {
      left ??= deactivate(admin, leaving)
      return left
    },
  }
}

/** A unique word of letters. Digits would be removed from messages by the grouping. */
export const word = (prefix = ""): string =>
  prefix + randomBytes(9).toString("hex").replaceAll(/\d/g, letterOf)

/** Polls until there is a result. The deadline only ends failed cases. */
export const eventually = async <A>(what: string, ask: () => Promise<A | undefined>): Promise<A> => {
  const end = performance.now() + deadlineMillis
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`)
    await setTimeout(intervalMillis)
  }
}

// internal

const deadlineMillis = 30_000
const intervalMillis = 15

const letterOf = (digit: string): string => "ghijklmnop"[Number(digit)]!

const usersOf = async (admin: WireClient): Promise<ReadonlyArray<Json>> => {
  const users: Array<Json> = []
  for (let cursor: number | null = null; ; ) {
    const page: Json = await admin.get("/users", { limit: 100, ...(cursor === null ? {} : { cursor }) })
    users.push(...page.users)
    if (!page.has_more) return users
    cursor = page.next_cursor
  }
}

const deactivate = async (admin: Person, person: Person) => {
  const { id: projectId } = await admin.post("/projects", { name: word("left") }, 201)
  await admin.post(`/projects/${projectId}/users`, { user_id: person.id })
  await person.get(`/projects/${projectId}`)
  await admin.delete(`/users/${person.id}`)
  return { person, projectId: projectId as number }
}
