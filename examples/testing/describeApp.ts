/** Tests that every web framework with an embedded Errata must pass. */
import { createErrata, type Errata, type ErrataOptions, memory } from "errata"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/** A listening application. */
export interface Listening {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Replaces `dashboard` of `@errata/dashboard`, which would have to be built first. */
const standIn: ErrataOptions["dashboard"] = {
  assets: new Map([
    ["app-1.js", { type: "text/javascript", body: Buffer.from("export {}"), br: null, gz: null }],
  ]),
  shell: (depth) => `${depth} folders below the mount`,
}

/** Tests an application that mounts Errata at `/errors` and has a route `/orders/:id` that throws. */
export const describeApp = (name: string, listen: (errata: Errata) => Promise<Listening>): void => {
  describe(name, () => {
    let errata: Errata
    let app: Listening

    beforeAll(async () => {
      errata = await createErrata({
        storage: memory(),
        baseUrl: "http://127.0.0.1/errors",
        dashboard: standIn,
        log: "silent",
      })
      app = await listen(errata)
    })
    afterAll(async () => {
      await app.close()
      await errata.close()
    })

    /** Returns the groups that match a search, after all captured errors are recorded. */
    const found = async (query: string) => {
      await errata.flush()
      return (await errata.groups.list(errata.project.id, { query })).groups
    }

    it("reports its own errors, with unchanged responses", async () => {
      const answer = await fetch(`${app.url}/orders/17`)
      expect(answer.status).toBe(500)
      expect(await answer.json()).toEqual({ message: "Something went wrong. We have been told." })
      expect(await found('"Order 17"')).toMatchObject([
        { error_message: "Order 17 could not be read", culprit: "GET /orders/:id", reports_count: 1 },
      ])
      // The application set this tag in the scope of the request.
      expect(await found("order:17")).toHaveLength(1)
    })

    it("accepts reports over HTTP, with any content type", async () => {
      const { id, token } = errata.project
      const report = (contentType: string, message: string) =>
        fetch(`${app.url}/errors/api/${id}/store/?sentry_key=${token}`, {
          method: "POST",
          headers: { "content-type": contentType },
          body: JSON.stringify({ message }),
        })
      expect((await report("application/json", "The printer is on fire")).status).toBe(200)
      expect((await report("text/plain", "The printer is out of paper")).status).toBe(200)
      expect(await found("printer")).toHaveLength(2)
    })

    it("has Errata's health and API only under its path", async () => {
      const statusOf = async (path: string) => (await fetch(`${app.url}${path}`)).status
      expect(await statusOf("/errors/up")).toBe(200)
      expect(await statusOf("/errors/api/service/v1/openapi.json")).toBe(200)
      expect(await statusOf("/errors/api/service/v1/projects")).toBe(401)
      expect(await statusOf("/up")).toBe(404)
    })

    it("has Errata's dashboard only under its path", async () => {
      const visit = (path: string) => fetch(`${app.url}${path}`, { redirect: "manual" })
      expect((await visit("/errors/")).headers.get("location")).toBe("/errors/sign_in?next=%2Fprojects")
      expect(await (await visit("/errors/projects/1/groups/7")).text()).toBe("3 folders below the mount")
      expect((await visit("/errors/assets/app-1.js")).headers.get("cache-control")).toContain("immutable")
      expect((await visit("/projects/1/groups/7")).status).toBe(404)
    })
  })
}
