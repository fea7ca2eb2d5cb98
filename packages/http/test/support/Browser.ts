/** A minimal browser: it keeps cookies, does not follow redirects, and submits forms as pages contain them. */
import { expect } from "vitest"

export interface Visit {
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Relative to the root of the host. URLs of other hosts stay absolute. */
  readonly location: string | null
}

export interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

export class Browser {
  readonly cookies = new Map<string, string>()

  constructor(
    readonly errata: {
      readonly url: string
      readonly fetch: (path: string, init?: RequestInit) => Promise<Omit<Visit, "location" | "path">>
    },
    readonly origin = errata.url,
  ) {}

  /** The path of the last visit, for relative links. */
  private at = "/"

  async visit(target: string, init: RequestInit = {}): Promise<Visit> {
    const { pathname, search } = new URL(
      target.replace(this.origin, ""),
      new URL(this.at, "http://errata.invalid"),
    )
    const path = pathname + search
    this.at = path
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const headers = { ...(cookie === "" ? {} : { cookie }), ...(init.headers as Record<string, string>) }
    const answer = await this.errata.fetch(path, {
      ...init,
      headers,
      redirect: "manual",
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return { ...answer, path, location: absolute(answer.headers.get("location"), path) }
  }

  /** Sends a form of a page, with these fields filled in. */
  send(
    form: Form,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Visit> {
    return this.visit(form.action, {
      method: "POST",
      body: new URLSearchParams({ ...form.fields, ...fields }),
      headers: { origin: this.origin, "sec-fetch-site": "same-origin", ...headers },
    })
  }

  async signIn(link: string): Promise<void> {
    const page = await this.visit(new URL(link).pathname + new URL(link).search)
    const entered = await this.send(formOf(page, "/sign_in/link"))
    expect([entered.status, entered.location]).toEqual([
      303,
      expect.stringMatching(/^\/(?:account|projects(?:\/\d+\/groups)?)$/),
    ])
  }
}

/** The form of a page that leads there. */
export const formOf = ({ path, text }: Pick<Visit, "path" | "text">, action: string): Form => {
  for (const [, target = "", content = ""] of text.matchAll(
    /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g,
  )) {
    const decoded = absolute(target.replaceAll("&#38;", "&"), path)!
    if (!decoded.startsWith(action)) continue
    const fields = Array.from(
      content.matchAll(/<input[^>]*? name="([^"]*)"[^>]*? value="([^"]*)"/g),
      ([, name = "", value = ""]) => [name, value] as const,
    )
    return { action: decoded, fields: Object.fromEntries(fields) }
  }
  throw new Error(`No form leads to ${action}: ${text}`)
}

// internal

const absolute = (target: string | null, path: string): string | null => {
  if (target === null || /^[\w+.-]+:/.test(target)) return target
  const { pathname, search } = new URL(target, new URL(path, "http://errata.invalid"))
  return pathname + search
}
