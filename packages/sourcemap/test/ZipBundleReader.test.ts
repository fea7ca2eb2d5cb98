/** Reads bundles of both dialects and rejects malicious ones. */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { StorableText } from "@errata/core/internal"
import { type BundleLimits, BundleReader, BundleUnreadable } from "@errata/core/ports"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { ZipBundleReader } from "../src/index.js"
import { inCaller } from "./support/InCaller.js"
import { manifest, type ZipEntry, type ZipOptions, zip } from "./support/Zip.js"

const reader = ZipBundleReader.make(inCaller)

const limits: BundleLimits = {
  maxFiles: 100,
  maxManifestBytes: 10_000,
  maxFileBytes: 100_000,
  maxTotalBytes: 150_000,
}

const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.byteLength,
  read: (offset: number, length: number) => {
    // A source only guarantees ranges within its size.
    expect(offset >= 0 && length >= 0 && offset + length <= bytes.byteLength).toBe(true)
    return Effect.succeed(bytes.slice(offset, offset + length))
  },
})

/** Returns the files of a bundle, with their contents as text. */
const read = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const bundle = yield* (yield* BundleReader).open(sourceOf(bytes), limits)
    const files = yield* Effect.forEach(bundle.files, ({ content, ...file }) =>
      Effect.map(content, (read) => ({ ...file, content: Buffer.from(read).toString() })),
    )
    return { note: bundle.note, files }
  }).pipe(Effect.scoped, Effect.provideService(BundleReader, reader))

const refusal = (entries: ReadonlyArray<ZipEntry>, options?: ZipOptions) =>
  Effect.map(Effect.flip(read(zip(entries, options))), (error) =>
    error instanceof BundleUnreadable ? error.reason : error,
  )

const id = "dd22ed14-cca4-527f-a916-3e5ac5b3dcec"

const one = (content: Uint8Array | string = "f()"): ReadonlyArray<ZipEntry> => [
  { name: "a.js", content },
  { name: "manifest.json", content: manifest({ "a.js": { type: "minified_source", url: "~/a.js" } }) },
]

describe("A bundle", () => {
  it.effect(
    "of the engines in Rust is read: deflated, with its manifest last and headers in lower case",
    () =>
      Effect.gen(function* () {
        const script = "files/_/_/assets/app.js"
        const bundle = yield* read(
          zip([
            { name: script, content: "f()" },
            { name: `${script}.map`, content: "{}" },
            { name: "not/named.js", content: "ignored" },
            {
              name: "manifest.json",
              content: manifest(
                {
                  [script]: {
                    type: "minified_source",
                    url: "~/assets/app.js",
                    headers: { "debug-id": id, sourcemap: "app.js.map" },
                  },
                  [`${script}.map`]: {
                    type: "source_map",
                    url: "~/assets/app.js.map",
                    headers: { "debug-id": id.toUpperCase().replaceAll("-", "") },
                  },
                },
                { note: "hello", org: "o", project: "web" },
              ),
            },
          ]),
        )
        expect(bundle).toEqual({
          note: "hello",
          files: [
            {
              type: "minified_source",
              url: "~/assets/app.js",
              debugId: id,
              mapReference: "app.js.map",
              size: 3,
              content: "f()",
            },
            {
              type: "source_map",
              url: "~/assets/app.js.map",
              debugId: id,
              mapReference: null,
              size: 2,
              content: "{}",
            },
          ],
        })
      }),
  )

  it.effect(
    "of the engine in TypeScript is read: stored, with its manifest first, also without a prefix",
    () =>
      Effect.gen(function* () {
        const names = ["_/https://cdn.example.com/a.js", "_/_/dir with space/é.js"]
        const entries = [
          {
            name: "manifest.json",
            isDeflated: false,
            content: manifest(
              Object.fromEntries(
                names.map((name) => [
                  name,
                  { type: "minified_source", url: name.slice(2), headers: { Sourcemap: "a.js.map" } },
                ]),
              ),
            ),
          },
          ...names.map((name) => ({ name, content: "", isDeflated: false })),
        ]
        for (const options of [{}, { prefix: new Uint8Array() }]) {
          const { files, note } = yield* read(zip(entries, options))
          expect(note).toBeNull()
          expect(files.map(({ mapReference, size, url }) => [url, mapReference, size])).toEqual(
            names.map((name) => [name.slice(2), "a.js.map", 0]),
          )
        }
      }),
  )

  it.effect("of many megabytes is read in parts", () =>
    Effect.gen(function* () {
      const content = randomBytes(3_000_000)
      const bytes = zip([
        ...one(content),
        { name: "rest", content: randomBytes(3_000_000), isDeflated: false },
      ])
      let largest = 0
      const source = sourceOf(bytes)
      const bundle = (yield* BundleReader).open(
        {
          size: source.size,
          read: (offset, length) => {
            largest = Math.max(largest, length)
            return source.read(offset, length)
          },
        },
        { ...limits, maxFileBytes: 4_000_000, maxTotalBytes: 4_000_000 },
      )
      const [file] = (yield* bundle).files
      expect(Buffer.from(yield* file!.content).equals(content)).toBe(true)
      expect(largest).toBeLessThanOrEqual(1024 * 1024)
    }).pipe(Effect.scoped, Effect.provideService(BundleReader, reader)),
  )

  it.effect("truncates a long note", () =>
    Effect.gen(function* () {
      const [script] = one()
      const noteOf = (note: string) =>
        Effect.map(
          read(zip([script!, { name: "manifest.json", content: manifest({}, { note }) }])),
          (bundle) => bundle.note,
        )
      expect(yield* noteOf("n".repeat(1001))).toBe("n".repeat(1000))
      // The thousandth UTF-16 unit is a high surrogate.
      const cut = yield* noteOf(`${"n".repeat(999)}😀`)
      expect(StorableText.isStorable(cut!)).toBe(true)
      expect(cut).toContain("n".repeat(999))
    }),
  )

  it.effect("omits files of unknown types", () =>
    Effect.gen(function* () {
      const [script] = one()
      const files = { "a.js": { type: "minified_source", url: "~/a.js" }, gone: { type: "hologram" } }
      const bundle = yield* read(zip([script!, { name: "manifest.json", content: manifest(files) }]))
      expect(bundle.files).toHaveLength(1)
    }),
  )
})

describe("A bundle is refused", () => {
  const refused = (
    name: string,
    expected: string,
    entries: ReadonlyArray<ZipEntry>,
    options?: ZipOptions,
  ): void => {
    it.effect(name, () =>
      Effect.gen(function* () {
        expect(yield* refusal(entries, options)).toContain(expected)
      }),
    )
  }
  const [script, manifestEntry] = one() as [ZipEntry, ZipEntry]
  const withManifest = (content: string): ReadonlyArray<ZipEntry> => [
    script,
    { name: "manifest.json", content },
  ]
  /** The entries of a bundle whose script has false metadata. */
  const lying = (lies: ZipEntry["lies"], content = "x".repeat(50)): ReadonlyArray<ZipEntry> => [
    { ...script, content, ...(lies === undefined ? {} : { lies }) },
    manifestEntry,
  ]

  refused("without a manifest", "no manifest.json", [script])
  refused("whose manifest is not JSON", "is not valid JSON", withManifest("{"))
  refused("whose manifest is no object", "has no files", withManifest("[]"))
  refused("whose manifest has no files", "has no files", withManifest("{}"))
  refused(
    "whose manifest says nothing of a file",
    "has an invalid entry",
    withManifest(manifest({ "a.js": null })),
  )
  refused("whose manifest names what is not there", "not in the bundle", [
    { name: "b.js", content: "" },
    manifestEntry,
  ])
  refused("whose manifest is too large", "manifest.json is larger", withManifest(" ".repeat(10_001)))
  refused("with a file that is too large", "is larger than 100000", one("x".repeat(100_001)))
  refused("whose files are too large together", "are larger than 150000", [
    { name: "a", content: "x".repeat(80_000) },
    { name: "b", content: "x".repeat(80_000) },
    { name: "manifest.json", content: manifest({ a: { type: "source" }, b: { type: "source" } }) },
  ])
  refused("with too many entries", "more than 100 files", [
    ...Array.from({ length: 101 }, (_, i) => ({ name: `f${i}`, content: "" })),
    manifestEntry,
  ])
  refused("whose manifest has too many values", "more than 3000 values", [
    script,
    { name: "manifest.json", content: `{"files":{},"x":[${"[],".repeat(1500)}[]]}` },
  ])
  refused("whose manifest names too many files", "names more than 100 files", [
    script,
    {
      name: "manifest.json",
      content: manifest(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, { type: "source" }]))),
    },
  ])
  refused("whose manifest is nested too deep", "deeper than 16 levels", [
    script,
    { name: "manifest.json", content: "[".repeat(17) },
  ])
  refused("with an entry of many extra fields", "extra fields", [
    { ...script, extra: Buffer.alloc(65_532) },
    manifestEntry,
  ])
  refused("whose directory is too large", "directory is larger than", [
    ...Array.from({ length: 260 }, (_, i) => ({ name: `f${i}`, content: "", extra: Buffer.alloc(65_532) })),
    manifestEntry,
  ])
  refused("with two entries of a name", "two entries", [script, script, manifestEntry])
  refused("with two manifests", "two entries", [script, manifestEntry, manifestEntry])
  for (const name of ["/etc/passwd", "../a.js", "a/../../b", "a\\b", "a\0b", ""]) {
    refused(`with an entry named ${JSON.stringify(name)}`, "not allowed", [
      { name, content: "" },
      script,
      manifestEntry,
    ])
  }
  refused("that inflates to more than it says: a bomb", "too many bytes", lying({ uncompressedSize: 10 }))
  refused("that inflates to less than it says", "not enough bytes", lying({ uncompressedSize: 60 }))
  refused("with an entry inside another one", "overlaps", lying({ compressedSize: 4_000 }))
  refused("whose entries share one content", "overlaps", [
    script,
    { ...script, name: "b.js", lies: { offset: 8 } },
    manifestEntry,
  ])
  refused("with an entry beyond its end", "overlaps", lying({ offset: 1_000_000 }))
  refused("with an entry that is encrypted", "encrypted", lying({ flags: 1 }))
  refused("compressed by another method", "not supported", lying({ method: 14 }))
  refused("that says it has more entries than it has", "cannot be read", one(), { entryCount: 50 })

  it.effect("that is no zip, or truncated", () =>
    Effect.gen(function* () {
      const whole = zip(one())
      for (const bytes of [new Uint8Array(), Buffer.from("SYSB"), whole.slice(0, -1), whole.slice(8)]) {
        expect(yield* Effect.flip(read(bytes))).toBeInstanceOf(BundleUnreadable)
      }
    }),
  )

  it("or read without a defect if any bytes change", async () => {
    const whole = zip(one("f(1);f(2);f(3)"))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.byteLength - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = Uint8Array.from(whole)
          for (const [index, value] of changes) bytes[index] = value
          const exit = await Effect.runPromiseExit(Effect.result(read(bytes)))
          expect(Exit.isSuccess(exit)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })

  it.effect("but not for an error of the storage", () =>
    Effect.gen(function* () {
      const bytes = zip(one())
      const error = new StorageError({ operation: "read", reason: "unavailable", cause: "away" })
      const open = (read: (offset: number, length: number) => Effect.Effect<Uint8Array, StorageError>) =>
        Effect.gen(function* () {
          const bundle = yield* (yield* BundleReader).open({ size: bytes.byteLength, read }, limits)
          return yield* bundle.files[0]!.content
        }).pipe(Effect.scoped, Effect.provideService(BundleReader, reader), Effect.flip)
      const { read } = sourceOf(bytes)
      let reads = 0
      for (const failing of [
        () => Effect.fail(error),
        (offset: number, length: number) => (reads++ < 2 ? read(offset, length) : Effect.fail(error)),
      ]) {
        expect(yield* open(failing)).toMatchObject({ _tag: "StorageError", operation: "read" })
      }
    }),
  )
})
