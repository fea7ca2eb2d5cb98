/** Tests function names on examples, against a parser on real sources, and on text that is not code. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FunctionTable } from "../src/FunctionTable.js"
import { callsOf } from "./support/ParsedFunctions.js"

/** Returns the name of the function around the mark `HERE`, or null if the scanner gave up. */
const nameAt = (text: string, isJsx = true): string | null =>
  FunctionTable.of(text, [isJsx ? "jsx" : "typescript"])?.find(text.indexOf("HERE")) ?? null

describe("FunctionTable", () => {
  it.each([
    ["function checkout() { HERE() }", "checkout"],
    ["async function* checkout() { HERE() }", "checkout"],
    ["export default function () { HERE() }", "default"],
    ["export default async () => HERE()", "default"],
    ["const checkout = function () { HERE() }", "checkout"],
    ["const checkout = function named() { HERE() }", "named"],
    ["const checkout = async (a, { b } = {}) => { HERE() }", "checkout"],
    ["const checkout = a => HERE(a)", "checkout"],
    ["const checkout = a => b => HERE(a)", "<anonymous>"],
    ["app.pages.checkout = () => HERE()", "checkout"],
    ["const pages = { checkout: () => HERE() }", "checkout"],
    ["const pages = { checkout() { HERE() } }", "checkout"],
    ["const pages = { 'check-out': () => HERE() }", "check-out"],
    ["const pages = { get checkout() { return HERE() } }", "checkout"],
    ["const pages = { delete() { HERE() } }", "delete"],
    ["class Cart { checkout() { HERE() } }", "Cart.checkout"],
    ["class Cart { static async *checkout() { HERE() } }", "Cart.checkout"],
    ["class Cart { #checkout() { HERE() } }", "Cart.#checkout"],
    ["class Cart extends mixin({ a() {} }) { constructor() { HERE() } }", "new Cart"],
    ["class Cart { total = 0\n checkout = () => HERE() }", "Cart.checkout"],
    ["const Cart = class { checkout() { HERE() } }", "Cart.checkout"],
    ["const a = { class: 'b' }\nfunction checkout() { HERE() }", "checkout"],
    ["items.map((item) => { HERE() })", "<anonymous>"],
    ["function checkout() { items.map((item) => item.a ? [item] : HERE()) }", "<anonymous>"],
    ["function checkout() { items.map((item) => item.a); HERE() }", "checkout"],
    ["function checkout() { const a = () => 1\n HERE() }", "checkout"],
    ["function checkout(a = () => 1) { HERE() }", "checkout"],
    ["function checkout() { if (a) { HERE() } else { b() } }", "checkout"],
    ["const a = x ? () => b : () => HERE()", "<anonymous>"],
    ["HERE()", "<anonymous>"],
    ["function a() {}\nHERE()", "<anonymous>"],
    // Characters that look like brackets but are not.
    ["function a() { return /[/{]{/.test('}') }\nfunction checkout() { HERE() }", "checkout"],
    ["function a() { if (b) /}/.exec(c) }\nfunction checkout() { HERE() }", "checkout"],
    ["const a = b / c / d\nfunction checkout() { HERE() /* } */ }", "checkout"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is scanned has a template.
    ["function checkout() { return `}${a ? `${HERE()}` : '`'}{` }", "checkout"],
    ["function checkout() { return '\\'}' + \"}\" // }\n + HERE() }", "checkout"],
  ])("%s: %s", (text, name) => {
    expect(nameAt(text)).toBe(name)
  })

  it.each([
    ["const checkout = (a: { b: string }): Promise<Map<string, number>> => { HERE() }", "checkout"],
    ["const checkout: Handler<A, B> = (a) => HERE()", "checkout"],
    ["const checkout: (a: A) => void = (a) => HERE()", "checkout"],
    ["const checkout = <A extends Record<string, B<C>>>(a: A) => HERE()", "checkout"],
    ["function checkout<A>(a?: A, ...b: B[]): asserts a is B { HERE() }", "checkout"],
    ["function checkout(a: A): { b: string } | void { HERE() }", "checkout"],
    [
      "abstract class Cart<A> extends Base<A, B> implements C { private checkout(): void { HERE() } }",
      "Cart.checkout",
    ],
    ["class Cart { checkout(a: A): void\n checkout(a: any): void { HERE() } }", "Cart.checkout"],
    ["class Cart { constructor(@Inject() private readonly a: A) { HERE() } }", "new Cart"],
    ["class Cart { checkout: Handler = async (a) => { HERE() } }", "Cart.checkout"],
    ["type A = (a: B) => void\n\nfunction checkout() { HERE() }", "checkout"],
    ["interface A { b(): void; c: () => D }\nfunction checkout() { HERE() }", "checkout"],
    ["const a = <any>b\nfunction checkout() { HERE(a!) }", "checkout"],
  ])("of TypeScript, %s: %s", (text, name) => {
    expect(nameAt(text, false)).toBe(name)
  })

  it.each([
    ["const Cart = () => <div title='}'>It's {HERE()} {'{'}</div>", "Cart"],
    ["function Cart() { return (<><a onClick={() => HERE()} {...b} /> don't </>) }", "<anonymous>"],
    ['function Cart() { return a < b ? <A.B c="{"/> : HERE() }', "Cart"],
    ["const Cart = <T,>(a: T) => <p>{a}</p>\nfunction checkout() { HERE() }", "checkout"],
  ])("of JSX, %s: %s", (text, name) => {
    expect(nameAt(text)).toBe(name)
  })

  it("agrees with a parser on the sources of this workspace", () => {
    const packages = join(import.meta.dirname, "../..")
    let calls = 0
    let others = 0
    for (const name of ["core", "http", "sentry", "storage-postgres", "testing"]) {
      const folder = join(packages, name, "src")
      for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!file.endsWith(".ts")) continue
        const text = readFileSync(join(folder, file), "utf8")
        const table = FunctionTable.of(text, ["typescript"])
        for (const { name, offset } of callsOf(file, text) ?? []) {
          calls++
          if (table?.find(offset) !== name) others++
        }
      }
    }
    expect(calls).toBeGreaterThan(5_000)
    // Some type syntax can only be read by a parser.
    expect(others / calls).toBeLessThan(0.002)
  })

  it("gives up on a text with very many unfinished regular expressions", () => {
    expect(FunctionTable.of(`=${"/\\".repeat(500_000)}`, ["jsx"])).toBeNull()
    // A slash that turns out to be a division does not count.
    expect(FunctionTable.of("const a = () => {\n  if (b) / c\n  d()\n}\n".repeat(3), ["jsx"])?.find(35)).toBe(
      "a",
    )
  })

  it("reads any text without an error, in a single pass", () => {
    const parts = fc.constantFrom(
      ..."( ) [ ] { } < > / ` ' \" ${ => = : ; , ? ! . \n // /* */ class function async x case 1 </x> <x> <T,> \\ #!".split(
        " ",
      ),
      " ",
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), fc.boolean(), fc.nat(100), (parts, isJsx, offset) => {
        const table = FunctionTable.of(parts.join(""), [isJsx ? "jsx" : "typescript"])
        expect(typeof (table === null ? "" : table.find(offset))).toBe("string")
      }),
      { numRuns: 2_000 },
    )
    for (const part of [
      "(",
      "[",
      "{",
      "a=>",
      "a=",
      "a?b:",
      "<a>",
      "`${",
      "f<a>(",
      "class A{a(){",
      "/",
      "'",
      "async(",
    ]) {
      const table = FunctionTable.of(part.repeat(100_000), ["jsx"])
      expect(table === null ? "" : typeof table.find(5)).toMatch(/^(?:string)?$/)
    }
  })
})
