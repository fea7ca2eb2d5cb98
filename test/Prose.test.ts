/** Tests the language rules that `npm run check` applies to pages, comments, messages and names of tests. */
import { describe, expect, it } from "vitest"

const load = (name: string) => import(new URL(`../scripts/prose/${name}.mjs`, import.meta.url).href)
const { findings } = await load("rules")
const { textsOfPage } = await load("pages")
const { commentsOf, messagesOf, namesOf } = await load("sources")
const { subjectProblem } = await load("commit-subject")

type Message = { readonly kind: string; readonly text: string }

const rulesIn = (text: string): ReadonlyArray<string> =>
  findings(text).map(({ rule }: { rule: string }) => rule)

describe("the rules of language", () => {
  it("accept plain sentences", () => {
    expect(rulesIn("The recorder retries the batch. That command prints the settings.")).toEqual([])
    expect(rulesIn("What does Errata store?")).toEqual([])
  })

  it("reject a sentence of more than 30 words", () => {
    const words = Array.from({ length: 31 }, () => "word").join(" ")
    expect(rulesIn(`${words}. A short sentence follows.`)).toEqual(["long"])
  })

  it("reject a clause in the place of a noun", () => {
    expect(rulesIn("Who asks is identified by a key.")).toEqual(["clause"])
    expect(rulesIn("That it holds is tested.")).toEqual(["clause"])
    expect(rulesIn("Whether it runs depends on the role.")).toEqual(["clause"])
  })

  it("reject paraphrases of the field's terms, once per sentence", () => {
    expect(rulesIn("The sender is told, and the event is set aside.")).toEqual(["paraphrase"])
    expect(rulesIn("The function gives a list.")).toEqual(["paraphrase"])
  })
})

describe("the texts that are checked", () => {
  it("include paragraphs, list items and table cells, with their lines", () => {
    const page = [
      "# Heading",
      "",
      "First `code` text.",
      "",
      "- An item.",
      "",
      "| a | b |",
      "|---|---|",
      "| A cell. | x |",
    ]
    const texts: ReadonlyArray<{ line: number; text: string }> = textsOfPage(page.join("\n"))
    expect(texts).toContainEqual({ line: 3, text: "First Code text." })
    expect(texts).toContainEqual({ line: 5, text: "An item." })
    expect(texts.map(({ text }) => text)).toContain("A cell.")
  })

  it("include comments, with consecutive line comments as one text", () => {
    const source =
      '/** Returns one. */\nexport const f = () => {\n  // Two lines\n  // of it.\n  return "a b"\n}\n'
    expect(
      commentsOf("a.ts", source).map(({ text }: { text: string }) => text.replaceAll(/\s+/g, " ")),
    ).toEqual(["Returns one.", "Two lines of it."])
  })

  it("include names of tests, groups and cases as sentences", () => {
    const source = [
      'describe.runIf(isRoot)("what is stored", () => {',
      '  it.effect.each(["a"])("tells nothing of %s", f)',
      "})",
      `contractCase(\`gives a key to \${count}\`, g)`,
      'other("a text of no test")',
    ].join("\n")
    const names: ReadonlyArray<{ line: number; text: string }> = namesOf("a.ts", source)
    expect(names).toEqual([
      { line: 1, text: "What is stored" },
      { line: 2, text: "Tells nothing of %s" },
      { line: 4, text: "Gives a key to …" },
    ])
    expect(names.map(({ text }) => rulesIn(text)[0])).toEqual(["clause", "paraphrase", "paraphrase"])
  })

  it("include messages, and no SQL, paths, keys or types", () => {
    const source = [
      'import a from "some where"',
      'const b: "some type" = ["The port is taken.", "packages/core", sql`SELECT no text`]',
      'const c = { "a key": a }',
    ].join("\n")
    expect(messagesOf("a.ts", source)).toEqual([{ line: 2, kind: "text", text: "The port is taken." }])
  })

  it("include the texts of markup, also in values, but no tags", () => {
    const source = `const a = html\`<h1 class="large text">Sign <b>in</b></h1><p>To \${html\`<i>the page</i>\`}</p>\``
    expect(messagesOf("a.ts", source).map(({ kind, text }: Message) => [kind, text])).toEqual([
      ["page", "Sign in"],
      ["page", "the page"],
    ])
  })

  it("say which kind a message is, by the nearest name around it", () => {
    const source = [
      'Effect.logError("It was lost.", cause)',
      `new PortError({ message: \`Port \${port} is in use.\` })`,
      'Options.withDescription("Print JSON")',
      'const a = { detail: "No such page" }',
    ].join("\n")
    expect(messagesOf("a.ts", source).map(({ kind, text }: Message) => [kind, text])).toEqual([
      ["log", "It was lost."],
      ["error", "Port … is in use."],
      ["help", "Print JSON"],
      ["error", "No such page"],
    ])
  })
})

describe("subjects of commits", () => {
  it.each(["postgres: plan the report list once per connection", "docs, examples: rename `capture`"])(
    "accept %s",
    (subject) => {
      expect(subjectProblem(subject)).toBeNull()
    },
  )

  it.each(["Format", "docs: A capital letter", "core: end with a period.", `core: ${"x".repeat(70)}`])(
    "reject %s",
    (subject) => {
      expect(subjectProblem(subject)).not.toBeNull()
    },
  )
})
