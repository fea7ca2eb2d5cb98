import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ErrorEvent, EventDetails, Frame } from "../../src/event/ErrorEvent.js"
import { group } from "../../src/grouping/GroupingV2.js"
import { eventOf, exception, thread } from "../report/events.js"
import { expectLinear } from "../support/linear.js"

const keyOf = (event: ErrorEvent): string => group(event).key
const stack = (...names: ReadonlyArray<string>): ReadonlyArray<Frame> =>
  names.map((name) => ({ module: "app", function: name, in_app: true }))
const framesOf = (event: ErrorEvent) => {
  const { data } = group(event)
  return data.method === "backtrace" ? data.frames : data.method
}

/**
 * Keys of the released algorithm. A change that breaks one of them would split existing groups, so do not make it.
 */
const released: ReadonlyArray<readonly [name: string, event: ErrorEvent, key: string]> = [
  [
    "a stack in Python",
    eventOf({
      exceptions: [
        exception("ValueError", "bad", [
          {
            module: "app.views",
            function: "show",
            context_line: "    raise ValueError(x)",
            in_app: true,
            lineno: 3,
          },
        ]),
      ],
    }),
    "668eeeb3da76e0d95869fc6e13c619652e3b991fd10d9ea84ae8a318b58e0e0f",
  ],
  [
    "a stack in a browser",
    eventOf(
      {
        exceptions: [
          exception("TypeError", "x", [
            { filename: "https://a.example/js/app.4f3a9c1b.js?v=2", function: "Object.run", in_app: true },
            { filename: "<anonymous>", function: "Array.map" },
          ]),
        ],
      },
      { platform: "javascript" },
    ),
    "ab9404afad2dcc3c2953fa71af9dc6020e4aee0b1c1a07a90faad454f4c18bf6",
  ],
  [
    "a native stack",
    eventOf(
      {
        exceptions: [
          exception("SIGSEGV", "Segfault", [
            { function: "_pthread_start" },
            { function: "Engine::draw(int)", package: "/opt/app/libengine.so" },
            { function: "abort", package: "/usr/lib/libc.so" },
          ]),
        ],
      },
      { platform: "native" },
    ),
    "70c7b9d43c2f5c24377ea612f66d45848b4665d34e77f136838098310e89f277",
  ],
  [
    "a stack of files alone",
    eventOf(
      {
        exceptions: [
          exception("Error", "x", [{ filename: "/bundle.js", function: "?", lineno: 2, colno: 17 }]),
        ],
      },
      { platform: "javascript" },
    ),
    "f69c98d0b5701ce72b1ae132fd1644f64caa1bb2b4bd3c06ca43c4d486fefd8b",
  ],
  [
    "a stack of libraries alone",
    eventOf(
      {
        exceptions: [
          exception("SIGBUS", "", [{ package: "/usr/lib/libz.so" }, { package: "/opt/libapp.so" }]),
        ],
      },
      { platform: "native" },
    ),
    "1613f273b03ffb210b0e4f1181c8edb63fa712807ba426c76693e2c966fe5de6",
  ],
  [
    "a thread",
    eventOf({ threads: [thread(stack("wait"), { crashed: true })] }),
    "413b91897a73534cb56eb2f5e88e41ea87fc79c4b2ecdb4a060b45c4b609be5d",
  ],
  [
    "type and message",
    eventOf({
      exceptions: [exception("HTTPError", "GET https://a.example/users/7?q=1 got 404 at 2025-01-31")],
    }),
    "a1f78be2e1b12cb032fcd8b7995c458ca596e3905e4565e039dd92ab0814a15a",
  ],
  [
    "a message template",
    eventOf({ logentry: { formatted: "User 7 left", message: "User %s left", params: [7] } }),
    "996cb95d27c121a0501f07cb2dec204dd9e9ef1af72be19faf56363c32c752a7",
  ],
  [
    "a message",
    eventOf({ logentry: { formatted: "User 7 left" } }),
    "1eab026ac572e62414f3bd4afa485cf771413af71678bbdec45c14099b26bf74",
  ],
  [
    "a security report",
    eventOf({
      security_report: {
        kind: "csp",
        directive: "script-src",
        blocked: "https://cdn.example/x.js?1",
        data: {},
      },
    }),
    "9d0056e2fd9760c131fa1f64545e2cb310adfd3e87ff4fcd4cb5f0974acd035c",
  ],
  [
    "a fingerprint",
    eventOf({ custom_fingerprint: ["billing", "down"] }),
    "109e14d75adef152fb2d5fa7e7bfd2244765be1031c2791aa2db941e6e73715a",
  ],
  [
    "a fingerprint with the default",
    eventOf({ custom_fingerprint: ["{{ default }}", "eu"], logentry: { formatted: "User 7 left" } }),
    "efce040187feb0ea276fd264785ff94f9ed4ee42d8273efc8d2135f61eea9f72",
  ],
  ["nothing", eventOf({}), "f098dcbcd6532d0743d14f9b68ea2aa2de1155e589646c0c8d34031899a267c1"],
]

describe("released keys", () => {
  it.each(released)("of %s", (_, event, key) => {
    expect(group(event)).toMatchObject({ algorithm: "v2", key })
  })
})

describe("order of evidence", () => {
  const everything: Partial<EventDetails> = {
    custom_fingerprint: ["mine"],
    exceptions: [exception("Cause", "c", stack("cause")), exception("Effect", "e", stack("effect"))],
    threads: [thread(stack("thread"))],
    logentry: { formatted: "hello 1", message: "hello %s", params: [1] },
  }
  const without = (...keys: ReadonlyArray<keyof EventDetails>) =>
    eventOf(
      Object.fromEntries(
        Object.entries(everything).filter(([key]) => !keys.includes(key as keyof EventDetails)),
      ),
    )

  it("the custom fingerprint comes first", () => {
    expect(group(without()).data).toEqual({ method: "custom", fingerprint: ["mine"] })
  })

  it("then the oldest causal exception with a useful stack", () => {
    expect(framesOf(without("custom_fingerprint"))).toEqual(["app in cause"])
    const exceptions = [exception("Cause", "c", [{ lineno: 1 }]), exception("Effect", "e", stack("effect"))]
    expect(framesOf(eventOf({ exceptions }))).toEqual(["app in effect"])
  })

  it("a cause within a library has the frames of the exception that the application got", () => {
    const inLibrary = (name: string): ReadonlyArray<Frame> => [
      { module: "db.cursor", function: name, in_app: false },
    ]
    const query = (place: string, cause: string, caught: ReadonlyArray<Frame>) =>
      eventOf({
        exceptions: [
          exception(cause, "c", inLibrary("send")),
          exception("ConnectionClosed", "d", inLibrary("query")),
          exception("QueryError", "e", [...stack(place), ...caught]),
        ],
      })
    const teas = query("teas", "Timeout", inLibrary("wrap"))
    expect(framesOf(teas)).toEqual(["app in teas"])
    expect(keyOf(query("teas", "Timeout", []))).toBe(keyOf(teas))
    expect(keyOf(query("cups", "Timeout", []))).not.toBe(keyOf(teas))
    expect(keyOf(query("teas", "Refused", []))).not.toBe(keyOf(teas))
    const exceptions = teas.details.exceptions.slice(0, 2)
    expect(framesOf(eventOf({ exceptions }))).toEqual(["db.cursor in send"])
  })

  it("then a thread: crashed, current, last", () => {
    const threads = [
      thread(stack("first")),
      thread([], { crashed: true }),
      thread(stack("crashed"), { crashed: true }),
      thread(stack("current"), { current: true }),
      thread(stack("last")),
      thread([{ lineno: 1 }]),
    ]
    const exceptions = [exception("E", "e")]
    expect(framesOf(eventOf({ exceptions, threads }))).toEqual(["app in crashed"])
    expect(framesOf(eventOf({ exceptions, threads: threads.filter(({ crashed }) => !crashed) }))).toEqual([
      "app in current",
    ])
    expect(
      framesOf(eventOf({ threads: threads.filter(({ crashed, current }) => !crashed && !current) })),
    ).toEqual(["app in last"])
  })

  it("then type and normalised message of the exception raised last", () => {
    const exceptions = [exception("Cause", "c"), exception("Effect", "user 7")]
    expect(group(eventOf({ exceptions, logentry: { formatted: "x" } })).data).toEqual({
      method: "exception",
      type: "Effect",
      value: "user <n>",
    })
  })

  it("then the template of the message, then the normalised message", () => {
    const data = (logentry: EventDetails["logentry"]) => group(eventOf({ logentry })).data
    expect(data({ formatted: "User 7", message: "User %d", params: [7] })).toEqual({
      method: "message",
      message: "User %d",
    })
    expect(data({ formatted: "User 7", message: "User %d" })).toEqual({
      method: "message",
      message: "User %d",
    })
    expect(data({ formatted: "User 7", message: "User 7" })).toEqual({
      method: "message",
      message: "User <n>",
    })
    expect(data({ formatted: "User 7" })).toEqual({ method: "message", message: "User <n>" })
    expect(group(eventOf({ exceptions: [exception("", "")], logentry: { formatted: "x" } })).data).toEqual({
      method: "message",
      message: "x",
    })
  })

  it("a security report is grouped by directive and origin", () => {
    const report = (blocked: string, directive = "img-src") =>
      eventOf({ security_report: { kind: "csp", directive, blocked, data: {} } })
    expect(group(report("https://a.example/1.png")).data).toEqual({
      method: "message",
      message: "img-src https://a.example",
    })
    expect(keyOf(report("https://a.example/1.png"))).toBe(keyOf(report("https://a.example/2.png?x")))
    expect(keyOf(report("inline"))).not.toBe(keyOf(report("eval")))
    expect(keyOf(report("inline"))).not.toBe(keyOf(report("inline", "script-src")))
  })

  it("otherwise each report has its own group", () => {
    const one = eventOf({}, { eventId: "1".repeat(32) })
    const two = eventOf({}, { eventId: "2".repeat(32) })
    expect(group(one).data).toEqual({ method: "ungroupable" })
    expect(keyOf(one)).toBe(keyOf(one))
    expect(keyOf(one)).not.toBe(keyOf(two))
  })
})

describe("custom fingerprint", () => {
  const logentry = { formatted: "hello" }
  const key = (custom_fingerprint: ReadonlyArray<string> | null) =>
    keyOf(eventOf({ custom_fingerprint, logentry }))
  const plain = key(null)

  it("is ordered, and its parts are kept apart", () => {
    expect(key(["a", "b"])).not.toBe(key(["b", "a"]))
    expect(key(["ab"])).not.toBe(key(["a", "b"]))
    expect(key(["a", ""])).not.toBe(key(["a"]))
  })

  it("replaces all other evidence", () => {
    const exceptions = [exception("E", "e", stack("f"))]
    expect(keyOf(eventOf({ custom_fingerprint: ["a"], exceptions }))).toBe(key(["a"]))
  })

  it("expands the default evidence in place", () => {
    const other = { formatted: "goodbye" }
    for (const name of ["{{ default }}", "{{default}}"]) {
      expect(key([name, "x"])).toBe(key(["{{ default }}", "x"]))
      expect(key([name, "x"])).not.toBe(key(["x", name]))
      expect(key([name, "x"])).not.toBe(keyOf(eventOf({ custom_fingerprint: [name, "x"], logentry: other })))
    }
    expect(key(["message", "hello", "x"])).not.toBe(key(["{{ default }}", "x"]))
    expect(key(["{{  default }}", "x"])).not.toBe(key(["{{ default }}", "x"]))
    expect(group(eventOf({ custom_fingerprint: ["{{ default }}", "x"], logentry })).data).toEqual({
      method: "custom",
      fingerprint: ["{{ default }}", "x"],
    })
  })

  it("is ignored if it is only the default placeholder", () => {
    expect(key(["{{ default }}"])).toBe(plain)
    expect(key(["{{default}}"])).toBe(plain)
  })

  it("is ignored over its limits, which count bytes", () => {
    expect(key([])).toBe(plain)
    expect(key(Array.from({ length: 33 }, () => "a"))).toBe(plain)
    expect(key(Array.from({ length: 32 }, () => "a"))).not.toBe(plain)
    expect(key(["a".repeat(1025)])).toBe(plain)
    expect(key(["é".repeat(513)])).toBe(plain)
    expect(key(["é".repeat(512)])).not.toBe(plain)
    expect(key(Array.from({ length: 9 }, () => "a".repeat(1000)))).toBe(plain)
    expect(key(Array.from({ length: 8 }, () => "a".repeat(1024)))).not.toBe(plain)
  })
})

describe("frames", () => {
  const key = (frames: ReadonlyArray<Frame>, platform = "python") =>
    keyOf(eventOf({ exceptions: [exception("E", "e", frames)] }, { platform }))
  const evidence = (frames: ReadonlyArray<Frame>, platform = "python") =>
    framesOf(eventOf({ exceptions: [exception("E", "e", frames)] }, { platform }))
  const frame = (name: string, in_app?: boolean): Frame => ({
    module: "m",
    function: name,
    ...(in_app === undefined ? {} : { in_app }),
  })

  it("are the in-app ones, else the unknown ones, else all", () => {
    expect(
      evidence([frame("a", false), frame("b"), frame("c", true), frame("d", true), frame("e", false)]),
    ).toEqual(["m in d", "m in c"])
    expect(evidence([frame("a", false), frame("b"), frame("c")])).toEqual(["m in c", "m in b"])
    expect(evidence([frame("a", false), frame("b", false)])).toEqual(["m in b", "m in a"])
  })

  it("count once in a row, and at most fifty count", () => {
    expect(evidence([frame("a"), frame("r"), frame("r"), frame("r"), frame("b")])).toEqual([
      "m in b",
      "m in r",
      "m in a",
    ])
    const many = Array.from({ length: 80 }, (_, i) => frame(`f${i}_`))
    expect(evidence(many)).toHaveLength(50)
    expect(key(many)).toBe(key(many.slice(30)))
    expect(key(many)).not.toBe(key(many.slice(0, 79)))
    // The depth of a recursion does not change the key.
    const recursion = (depth: number) => [frame("main"), ...Array.from({ length: depth }, () => frame("r"))]
    expect(key(recursion(60))).toBe(key(recursion(3)))
  })

  it("are identified by module or file, function and source line", () => {
    const base: Frame = { module: "m", filename: "m.py", function: "f", context_line: "  raise E" }
    expect(
      key([{ ...base, filename: "other.py", abs_path: "/x/m.py", lineno: 9, colno: 2, vars: { a: 1 } }]),
    ).toBe(key([base]))
    expect(key([{ ...base, context_line: "\traise   E" }])).toBe(key([{ ...base, context_line: "raise E" }]))
    expect(key([{ ...base, pre_context: ["x"], post_context: ["y"] }])).toBe(key([base]))
    for (const change of [{ module: "n" }, { function: "g" }, { context_line: "raise F" }]) {
      expect(key([{ ...base, ...change }])).not.toBe(key([base]))
    }
  })

  it("omit source lines of minified code", () => {
    const line = (text: string) => key([{ filename: "a.js", function: "f", context_line: text }])
    expect(line("a".repeat(5000))).toBe(line("b".repeat(300)))
    expect(line("'{snip} a=1 {snip}'")).toBe(line(""))
  })

  it("use line and column only if nothing else identifies them", () => {
    const at = (lineno: number, name: string): Frame => ({
      filename: "b.js",
      function: name,
      lineno,
      colno: 1,
      in_app: true,
    })
    expect(evidence([at(1, "?"), at(2, "?")], "javascript")).toEqual(["b.js:2:1", "b.js:1:1"])
    expect(key([at(1, "?")], "javascript")).not.toBe(key([at(2, "?")], "javascript"))
    expect(key([at(1, "?"), at(5, "run")], "javascript")).toBe(key([at(2, "?"), at(6, "run")], "javascript"))
  })

  it("use the library if there are no symbols", () => {
    const library = (name: string): Frame => ({ package: name, instruction_addr: "0x1" })
    expect(evidence([library("/usr/lib/liba.so"), library("/opt/libb.so")], "native")).toEqual(["libb.so"])
    expect(evidence([library("/usr/lib/liba.so")], "native")).toEqual(["liba.so"])
    expect(evidence([library("/usr/lib/liba.so"), { function: "draw" }], "native")).toEqual(["draw"])
  })

  it("use the stack of the exception's thread if the exception has none", () => {
    const threads = [thread(stack("mine"), { id: "7" }), thread(stack("other"), { id: "8", crashed: true })]
    expect(framesOf(eventOf({ exceptions: [exception("E", "e", [], { thread_id: "7" })], threads }))).toEqual(
      ["app in mine"],
    )
  })

  it("are combined with the type of the exception", () => {
    const of = (type: string, value: string) =>
      keyOf(eventOf({ exceptions: [exception(type, value, stack("get"))] }))
    expect(of("Timeout", "1")).toBe(of("Timeout", "2"))
    expect(of("Timeout", "1")).not.toBe(of("ConnectionError", "1"))
    expect(of("#<Class:0x00007f8b1c0a2b30>", "")).toBe(of("#<Class:0x00007f8b1c0a9999>", ""))
  })
})

const word = fc.stringMatching(/^[a-z]{3,10}$/)

describe("native crashes without in-app information", () => {
  const app = (name: string): Frame => ({ function: name, package: "/opt/shop/libshop.so" })
  const system = (name: string, library: string): Frame => ({ function: name, package: library })
  const crash = (...frames: ReadonlyArray<Frame>) =>
    eventOf({ exceptions: [exception("SIGSEGV", "Segfault", frames)] }, { platform: "native" })

  const around = [
    ["objc_msgSend", "/usr/lib/libobjc.A.dylib"],
    ["pthread_mutex_lock", "/usr/lib/system/libsystem_pthread.dylib"],
    ["_dl_runtime_resolve", "/lib64/ld-linux-x86-64.so.2"],
    ["memcpy", "libc.so.6"],
    ["-[NSView draw]", "/System/Library/Frameworks/AppKit.framework/AppKit"],
    ["NtWaitForSingleObject", "C:\\Windows\\System32\\ntdll.dll"],
    ["dlopen", "/system/lib/libdl.so"],
  ] as const

  it("are one group if only system frames around the application's differ", () => {
    const keys = around.map(([name, library]) =>
      keyOf(
        crash(
          system("start", "dyld"),
          app("main"),
          system(name, library),
          app("draw"),
          system(name, library),
        ),
      ),
    )
    expect(new Set(keys)).toEqual(new Set([keyOf(crash(app("main"), app("draw")))]))
  })

  it("are two groups if the application's frames differ", () => {
    const [name, library] = around[0]
    expect(keyOf(crash(app("main"), system(name, library)))).not.toBe(
      keyOf(crash(app("other"), system(name, library))),
    )
  })

  it("are grouped by system frames if there are no others", () => {
    const keys = around.map(([name, library]) => keyOf(crash(system(name, library))))
    expect(new Set(keys).size).toBe(around.length)
  })

  it("use the sender's in-app flags if there are any", () => {
    const said: Frame = { ...system("objc_msgSend", "/usr/lib/libobjc.A.dylib"), in_app: true }
    expect(framesOf(crash(app("main"), said))).toEqual(["objc_msgSend"])
  })
})

describe("the key", () => {
  it("does not change with lines, columns, origins, hashes of builds, queries and ids", () => {
    const hash = fc.stringMatching(/^[a-f][0-9]{3}[0-9a-f]{4}$/)
    const noise = fc.record({
      line: fc.nat(),
      column: fc.nat(),
      host: word,
      hash,
      query: fc.nat(),
      id: fc.integer({ min: 1000 }),
    })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), noise, noise, (names, one, two) => {
        const make = (n: typeof one) =>
          eventOf(
            {
              exceptions: [
                exception(
                  "Error",
                  `order ${n.id}`,
                  names.map((name) => ({
                    filename: `https://${n.host}.example/${name}.${n.hash}.js?v=${n.query}`,
                    function: `Object.${name}`,
                    lineno: n.line,
                    colno: n.column,
                  })),
                ),
              ],
            },
            { platform: "javascript", release: n.hash, serverName: n.host },
          )
        expect(keyOf(make(one))).toBe(keyOf(make(two)))
        const message = (n: typeof one) =>
          eventOf({ logentry: { formatted: `order ${n.id} of https://a.example/${n.id}?q=${n.query} lost` } })
        expect(keyOf(message(one))).toBe(keyOf(message(two)))
      }),
    )
  })

  it("changes with any function name, and with the order of frames", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 2, maxLength: 10 }),
        fc.nat(),
        word,
        (names, at, name) => {
          const event = (functions: ReadonlyArray<string>) =>
            eventOf({ exceptions: [exception("E", "e", stack(...functions))] })
          const changed = names.map((old, i) => (i === at % names.length ? `${old}_${name}` : old))
          expect(keyOf(event(changed))).not.toBe(keyOf(event(names)))
          expect(keyOf(event(names.toReversed()))).not.toBe(keyOf(event(names)))
        },
      ),
    )
  })

  it("is a deterministic text of 64 hexadecimal characters for any event, with bounded evidence", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constantFrom("$", "::", "http://", "./"),
    )
    const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
    const frame = fc
      .record({
        filename: optional(text),
        abs_path: optional(text),
        function: optional(text),
        module: optional(text),
        package: optional(text),
        context_line: optional(text),
        in_app: optional(fc.boolean()),
        lineno: optional(fc.nat()),
      })
      .map(
        (fields) =>
          Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Frame,
      )
    const frames = fc.array(frame, { maxLength: 6 })
    const event = fc
      .record({
        custom_fingerprint: fc.option(fc.array(text, { maxLength: 3 })),
        exceptions: fc.array(fc.record({ type: text, value: text, frames }), { maxLength: 3 }),
        threads: fc.array(fc.record({ crashed: fc.boolean(), frames }), { maxLength: 2 }),
        logentry: fc.option(fc.record({ formatted: text, message: text })),
      })
      .chain((details) =>
        fc.constantFrom("javascript", "native", "other").map((platform) => eventOf(details, { platform })),
      )
    fc.assert(
      fc.property(event, (event) => {
        const grouping = group(event)
        expect(grouping.key).toMatch(/^[0-9a-f]{64}$/)
        expect(group(structuredClone(event))).toEqual(grouping)
      }),
      { numRuns: 500 },
    )
  })

  it("shows evidence of bounded length", () => {
    const long = "word ".repeat(4000)
    const shown = (event: ErrorEvent) => JSON.stringify(group(event).data).length
    expect(shown(eventOf({ exceptions: [exception(long, long)] }))).toBeLessThan(2200)
    expect(shown(eventOf({ logentry: { formatted: long } }))).toBeLessThan(1200)
    const frames = Array.from({ length: 100 }, (_, i) => ({ function: `${i}${long}` }))
    expect(shown(eventOf({ exceptions: [exception("E", "e", frames)] }))).toBeLessThan(50 * 270)
  })

  it("takes time linear in the size of hostile frames", () => {
    const units = [
      ...[
        "a",
        "1",
        "$",
        "$1",
        "$$",
        "$$Lambda",
        "@anonymous",
        "<anonymous",
        "::<anonymous",
        "g__",
        "b__1",
        ".cold",
        ".1",
      ],
      ...[
        "_block_invoke",
        " [as ",
        "async ",
        "./",
        "../",
        "/",
        "\\",
        "-1.1",
        "-1",
        " (1) ",
        "gems/",
        "abcdef1.",
        "+0x",
        "?",
        "\n",
      ],
    ]
    let runs = 0
    const grouped = (size: number) => {
      // Short frames are cached, so these are unique.
      runs++
      for (const unit of units) {
        const text = unit.repeat(size / unit.length)
        const frames = Array.from({ length: 10 }, (_, i) => {
          const name = `${runs}_${i}${text}`
          return { function: name, filename: name, context_line: name }
        })
        for (const platform of ["javascript", "native"])
          group(eventOf({ exceptions: [exception(text, text, frames)] }, { platform }))
      }
    }
    // Below the length limit of a frame, and above all limits.
    expectLinear(1024, grouped)
    expectLinear(65_536, grouped)
  })
})
