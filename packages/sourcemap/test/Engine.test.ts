/** Runs real builds in a real engine and maps their stacks back to the sources. */
import type { ProjectId } from "@errata/core"
import type { Frame } from "@errata/core/ports"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Engine } from "../src/index.js"
import type { MappedScript } from "../src/SourceMapEngine.js"
import { type Build, framesOf, program, scriptUrl, withEsbuild, withRollup } from "./support/Build.js"
import { encodeMappings } from "./support/Encode.js"
import { inCaller } from "./support/InCaller.js"

const engine = Effect.runSync(Engine.make(inCaller))
const projectId = 1 as ProjectId

const bytes = (text: string) => new TextEncoder().encode(text)

const readMap = (map: string | object) =>
  Effect.runSync(engine.read(bytes(typeof map === "string" ? map : JSON.stringify(map)), projectId))

const scriptWith = (map: string | object, script: Partial<MappedScript> = {}): MappedScript => ({
  map: Result.getOrThrow(readMap(map)),
  mapUrl: `${scriptUrl}.map`,
  sourceAt: () => null,
  functions: () => null,
  ...script,
})

/** Maps frames after the texts of the sources are read. */
const resolve = (frames: ReadonlyArray<Frame>, script: MappedScript) => {
  const { unread } = engine.map(frames, () => script, null)
  return engine.map(frames, () => script, Effect.runSync(engine.readTexts(unread, projectId)))
}

const lineOf = (file: string, text: string): number =>
  program[file]!.split("\n").findIndex((line) => line.includes(text)) + 1

/** Omits frames of the engine and of the bundler's wrapper. */
const places = (frames: ReadonlyArray<Frame>) =>
  frames
    .filter(({ filename }) => filename !== "<anonymous>" && filename !== scriptUrl)
    .map((frame) => [frame.filename, frame.function, frame.lineno, frame.in_app])
    // The call of the wrapper function is mapped to the last call of the program.
    .filter((place, i, all) => String(place) !== String(all[i - 1]))

const expected = [
  ["src/main.ts", "<anonymous>", lineOf("src/main.ts", 'open({ name: "checkout"'), true],
  ["src/main.ts", "open", lineOf("src/main.ts", "return cart.checkout()"), true],
  ["src/cart.ts", "Cart.checkout", lineOf("src/cart.ts", "this.items.map"), true],
  ["src/cart.ts", "<anonymous>", lineOf("src/cart.ts", "this.items.map"), true],
  ["src/cart.ts", "Cart.price", lineOf("src/cart.ts", "the line that fails"), true],
  ["node_modules/boom/index.js", "explode", lineOf("node_modules/boom/index.js", "throw"), false],
]

/** Minifiers inline small functions into their callers. */
const withoutInlined = (frames: ReadonlyArray<Frame>) => {
  const found = places(frames).map(String)
  return expected.filter((place) => found.includes(String(place)))
}

const builds: ReadonlyArray<readonly [string, () => Promise<Build>]> = [
  ["esbuild", () => withEsbuild()],
  ["esbuild with names kept", () => withEsbuild({ keepNames: true, minifyIdentifiers: false })],
  ["Rollup and Terser", () => withRollup()],
]

describe.each(builds)("a build by %s", (_, build) => {
  it("has the frames of the original", async () => {
    const { code, map } = await build()
    const minified = framesOf(code)
    expect(minified.length).toBeGreaterThan(2)
    const { frames, outcomes } = resolve(minified, scriptWith(map))
    expect(places(frames)).toEqual(withoutInlined(frames))
    expect(places(frames)).toContainEqual(expected.at(-1))
    minified.forEach(({ filename }, i) => {
      if (filename === "<anonymous>") return expect(outcomes[i]).toBe("no_candidate")
      // Code that the bundler generated is not in-app.
      const isMapped = frames[i]!.filename !== scriptUrl
      expect(outcomes[i]).toBe(isMapped ? "mapped" : "position_not_mapped")
      if (!isMapped) expect(frames[i]!.in_app).toBe(false)
    })
    expect(frames.at(-1)).toMatchObject({
      abs_path: "https://shop.example/node_modules/boom/index.js",
      pre_context: ["export function explode(item) {", '  console.log("before")'],
      context_line: '  throw new Error("No price for " + item)',
      post_context: ["}", ""],
    })
  })
})

/** Some compilers omit the texts of sources by default. */
const withoutContents = ({ code, map }: Build): MappedScript => {
  const { sourcesContent: _, ...rest } = JSON.parse(map)
  const script = scriptWith(rest)
  return { ...script, functions: () => Effect.runSync(engine.readScript(bytes(code), script.map, projectId)) }
}

describe("maps without the text of their sources", () => {
  const stackOf = ({ code }: Build, script: MappedScript) =>
    places(resolve(framesOf(code), script).frames).map(([file, name]) => `${file} ${name}`)

  it.each([
    ["esbuild", () => withEsbuild()],
    ["Rollup and Terser", () => withRollup({ compress: false })],
  ])("return the names of the original by %s", async (_, build) => {
    const built = await build()
    const { frames } = resolve(framesOf(built.code), withoutContents(built))
    expect(places(frames)).toEqual(expected)
  })

  it("name inlined functions by their call", async () => {
    const built = await withRollup()
    expect(framesOf(built.code).at(-1)!.function).toBe("?")
    expect(stackOf(built, withoutContents(built)).at(-1)).toBe("node_modules/boom/index.js explode")
  })

  it("return the same frames for two differently minified builds", async () => {
    const one = await withRollup({ compress: false })
    const other = await withRollup({ compress: false, mangle: { toplevel: true, reserved: ["e", "n", "t"] } })
    const minified = ({ code }: Build) => framesOf(code).map((frame) => frame.function)
    expect(minified(other)).not.toEqual(minified(one))
    expect(stackOf(other, withoutContents(other))).toEqual(stackOf(one, withoutContents(one)))
    // Without the script, calls and members still have names.
    const alone = (build: Build) => stackOf(build, { ...withoutContents(build), functions: () => null })
    expect(alone(other)).toEqual(alone(one))
    expect(alone(one)).toContain("src/cart.ts price")
    expect(alone(one).at(-1)).toBe("node_modules/boom/index.js explode")
  })
})

const oneFrame: Frame = { filename: scriptUrl, function: "Pl", lineno: 1, colno: 10 }
const content = "// first\nexport const checkout = () => {\n  explode()\n}\n"
const mappings = encodeMappings([[[0, 0, 2, 2]]])
const plain = { version: 3, sources: ["../src/a.ts"], sourcesContent: [content], names: [], mappings }

describe("resolve", () => {
  it("clears fields of the generated code, and keeps all others", () => {
    const frame: Frame = {
      ...oneFrame,
      module: "app",
      abs_path: scriptUrl,
      pre_context: ["minified"],
      context_line: "minified",
      post_context: ["minified"],
      vars: { a: 1 },
    }
    const { frames } = resolve([frame], scriptWith({ ...plain, sourcesContent: null }))
    expect(frames).toEqual([
      {
        filename: "src/a.ts",
        abs_path: "https://shop.example/src/a.ts",
        function: "Pl",
        lineno: 3,
        colno: 3,
        in_app: true,
        vars: { a: 1 },
      },
    ])
  })

  it("uses sources that were uploaded next to the map", () => {
    const asked: Array<string> = []
    const script = scriptWith(
      { ...plain, sourcesContent: undefined },
      {
        sourceAt: (url) => {
          asked.push(url)
          return content
        },
      },
    )
    const { frames } = resolve([oneFrame], script)
    expect(new Set(asked)).toEqual(new Set(["https://shop.example/src/a.ts"]))
    expect(frames[0]).toMatchObject({ function: "checkout", context_line: "  explode()" })
  })

  it("names a function by its caller's token without source text, but not across async calls", () => {
    const map = {
      ...plain,
      names: ["explode", "not a name"],
      sourcesContent: null,
      mappings: encodeMappings([
        [
          [0, 0, 0, 0, 0],
          [50, 0, 1, 0],
          [80, 0, 2, 0, 1],
        ],
      ]),
    }
    const caller: Frame = { ...oneFrame, function: "Mt", colno: 5 }
    const called: Frame = { ...oneFrame, colno: 60 }
    const script = scriptWith(map)
    expect(resolve([caller, called], script).frames[1]!.function).toBe("explode")
    expect(resolve([{ ...caller, function: "async Mt" }, called], script).frames[1]!.function).toBe(
      "<anonymous>",
    )
    expect(resolve([{ filename: "<anonymous>" }, called], script).frames[1]!.function).toBe("<anonymous>")
    expect(resolve([{ ...caller, colno: 90 }, called], script).frames[1]!.function).toBe("<anonymous>")
    expect(resolve([{ ...called, function: "?" }], script).frames[0]!.function).toBe("<anonymous>")
  })

  it("names functions by Metro's table, at the position in the source", () => {
    // `<global>` from line 1, `checkout` from line 2, column 24, `<global>` again from line 4.
    const map = {
      ...plain,
      mappings: encodeMappings([
        [
          [0, 0, 2, 2],
          [20, 0, 0, 0],
          [40, 0, 4, 0],
        ],
      ]),
      x_facebook_sources: [[{ names: ["<global>", "checkout"], mappings: "AAA;wBCC;ADE" }]],
    }
    const names = [5, 25, 45].map(
      (colno) => resolve([{ ...oneFrame, colno }], scriptWith(map)).frames[0]!.function,
    )
    expect(names).toEqual(["checkout", "<anonymous>", "<anonymous>"])
    // Invalid scopes are ignored.
    const broken = { ...map, x_facebook_sources: [[{ names: [], mappings: "AAA" }]] }
    expect(resolve([oneFrame], scriptWith(broken)).frames[0]!.function).toBe("checkout")
  })

  it("names functions in a long source with many short functions", () => {
    const source = Array.from({ length: 20_000 }, (_, i) => {
      const name = `shortFunction${i}`
      return `export function ${name}(value: number): number {\n  return value + 1\n}\n`
    }).join("")
    expect(source.length).toBeGreaterThan(1.4 * 1024 * 1024)
    const map = { ...plain, sourcesContent: [source], mappings: encodeMappings([[[0, 0, 59_998, 2]]]) }
    expect(resolve([oneFrame], scriptWith(map)).frames[0]!.function).toBe("shortFunction19999")
  })

  it.each([
    "export const checkout = () => <p>{explode()}</p>",
    "const checkout = <T>(a: T) => explode<T>(a)",
  ])("names functions in a source without an extension: %s", (line) => {
    const map = { ...plain, sources: ["../src/pages/[slug]/page"], sourcesContent: [`\n\n${line}`] }
    const column = line.indexOf("explode")
    const script = scriptWith({ ...map, mappings: encodeMappings([[[0, 0, 2, column]]]) })
    expect(resolve([oneFrame], script).frames[0]!.function).toBe("checkout")
  })

  it("cuts long lines around the column", () => {
    const line = `${"a".repeat(400)}explode()${"b".repeat(400)}`
    const map = {
      ...plain,
      sourcesContent: [`${line}\n${line}`],
      mappings: encodeMappings([[[0, 0, 0, 400]]]),
    }
    const { context_line = "", post_context = [] } = resolve([oneFrame], scriptWith(map)).frames[0]!
    expect(context_line).toMatch(/^\{snip\} a+explode\(\)b+ \{snip\}$/)
    expect(context_line.length).toBe("{snip} ".length * 2 + 256)
    expect(post_context).toEqual([`${"a".repeat(256)} {snip}`])
  })

  it("marks sources of the ignore list as not in-app, by both of its names", () => {
    for (const list of [{ ignoreList: [0] }, { x_google_ignoreList: [0] }]) {
      expect(resolve([oneFrame], scriptWith({ ...plain, ...list })).frames[0]!.in_app).toBe(false)
    }
  })

  it("keeps a frame that cannot be mapped, with the reason", () => {
    const script = scriptWith({
      ...plain,
      sources: ["../src/a.ts", null],
      mappings: encodeMappings([[[4, 0, 2, 2], [20, 1, 0, 0], [30]]]),
    })
    const frames = [2, 25, 35, 0].map((colno): Frame => ({ ...oneFrame, colno }))
    const resolved = resolve([...frames, { ...oneFrame, lineno: 7 }, oneFrame], script)
    expect(resolved.outcomes).toEqual([
      "position_not_mapped",
      "position_not_mapped",
      "position_not_mapped",
      "no_candidate",
      "position_not_mapped",
      "mapped",
    ])
    expect(resolved.frames.slice(0, 4).map(({ in_app: _, ...frame }) => frame)).toEqual(frames)
    expect(resolve(frames, script).frames).toEqual(frames)
    const missing = engine.map([oneFrame], () => "artifact_not_uploaded", null)
    expect(missing).toEqual({ frames: [oneFrame], outcomes: ["artifact_not_uploaded"], unread: [] })
    expect(engine.map([oneFrame], () => ({ ...script, map: { memory: 1 } }), null).outcomes).toEqual([
      "internal",
    ])
  })

  it("replaces characters that storages cannot keep", () => {
    const map = {
      ...plain,
      sources: ["\0virtual\ud800.ts"],
      sourcesContent: ["\0first\n\ud800second\nthird\0"],
    }
    const [frame] = resolve([oneFrame], scriptWith(map)).frames
    expect(frame).toMatchObject({
      filename: "virtual\ufffd.ts",
      in_app: false,
      pre_context: ["\ufffdfirst", "\ufffdsecond"],
      context_line: "third\ufffd",
    })
  })
})
