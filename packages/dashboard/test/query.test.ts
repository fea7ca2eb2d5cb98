import { JSDOM } from "jsdom"
import { afterAll, expect, it, vi } from "vitest"

const { window } = new JSDOM()
vi.stubGlobal("window", window)
vi.stubGlobal("document", window.document)
vi.stubGlobal("addEventListener", window.addEventListener.bind(window))
afterAll(() => vi.unstubAllGlobals())

const { h, render } = await import("preact")
const { cache, useQuery } = await import("../src/data/query.js")

const Shown = ({ name }: { readonly name: string }) => {
  const { data } = useQuery<string>({ queryKey: [name], queryFn: () => new Promise<string>(() => {}) })
  return h("p", null, data ?? "loading")
}

it("shows a response that arrives after a page is rendered and before its effects run", async () => {
  const body = window.document.body
  render(h(Shown, { name: "early" }), body)
  expect(body.textContent).toBe("loading")
  cache.setQueryData(["early"], "answer")
  await expect.poll(() => body.textContent).toBe("answer")
})

it("shows later responses, and those of another query", async () => {
  const body = window.document.body
  render(h(Shown, { name: "late" }), body)
  const isActive = () =>
    cache
      .getQueryCache()
      .find({ queryKey: ["late"] })
      ?.isActive()
  await expect.poll(isActive).toBe(true)
  cache.setQueryData(["late"], "answer")
  await expect.poll(() => body.textContent).toBe("answer")
  cache.setQueryData(["other"], "other")
  render(h(Shown, { name: "other" }), body)
  await expect.poll(() => body.textContent).toBe("other")
})
