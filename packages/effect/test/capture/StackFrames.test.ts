import { describe, expect, it } from "vitest"
import { framesOf } from "../../src/capture/StackFrames.js"

const frame = (line: string) => framesOf(`Error: x\n    at ${line}`, "Error: x", "/app")[0]

describe("frames", () => {
  it.each([
    [
      "brew (/app/src/tea.js:10:5)",
      {
        function: "brew",
        filename: "src/tea.js",
        abs_path: "/app/src/tea.js",
        lineno: 10,
        colno: 5,
        in_app: true,
      },
    ],
    [
      "/app/src/tea.js:10:5",
      { filename: "src/tea.js", abs_path: "/app/src/tea.js", lineno: 10, colno: 5, in_app: true },
    ],
    [
      "async brew (file:///app/src/a%20b.js:1:2)",
      {
        function: "brew",
        filename: "src/a b.js",
        abs_path: "/app/src/a b.js",
        lineno: 1,
        colno: 2,
        in_app: true,
      },
    ],
    [
      "async file:///app/tea.mjs:3:4",
      { filename: "tea.mjs", abs_path: "/app/tea.mjs", lineno: 3, colno: 4, in_app: true },
    ],
    [
      "new Kettle (/app/kettle.js:1:2)",
      {
        function: "Kettle",
        filename: "kettle.js",
        abs_path: "/app/kettle.js",
        lineno: 1,
        colno: 2,
        in_app: true,
      },
    ],
    [
      "Object.pour [as serve] (/app/pot.js:1:2)",
      {
        function: "Object.pour [as serve]",
        filename: "pot.js",
        abs_path: "/app/pot.js",
        lineno: 1,
        colno: 2,
        in_app: true,
      },
    ],
    [
      "brew (/other/node_modules/tea/index.js:1:2)",
      {
        function: "brew",
        filename: "/other/node_modules/tea/index.js",
        abs_path: "/other/node_modules/tea/index.js",
        lineno: 1,
        colno: 2,
        in_app: false,
      },
    ],
    [
      "process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
      {
        function: "process.processTicksAndRejections",
        filename: "node:internal/process/task_queues",
        abs_path: "node:internal/process/task_queues",
        lineno: 95,
        colno: 5,
        in_app: false,
      },
    ],
    [
      "brew (/app/odd (name)/tea.js:1:2)",
      {
        function: "brew",
        filename: "odd (name)/tea.js",
        abs_path: "/app/odd (name)/tea.js",
        lineno: 1,
        colno: 2,
        in_app: true,
      },
    ],
    [
      "eval (eval at brew (/app/tea.js:7:8), <anonymous>:1:1)",
      { function: "eval", filename: "tea.js", abs_path: "/app/tea.js", lineno: 7, colno: 8, in_app: true },
    ],
    ["Array.map (<anonymous>)", { function: "Array.map", in_app: false }],
    ["async Promise.all (index 0)", { function: "Promise.all", in_app: false }],
  ])("reads %s", (line, expected) => {
    expect(frame(line)).toEqual(expected)
  })

  it("are read from the stack, not from the message", () => {
    const message = "Error: first\n    at nowhere (/app/message.js:1:1)"
    const frames = framesOf(
      `${message}\n    at inner (/app/a.js:1:1)\n    at outer (/app/b.js:2:2)`,
      message,
      "/app",
    )
    expect(frames.map((each) => each.function)).toEqual(["outer", "inner"])
  })

  it("end at Effect's loop and continue with spans, which are in-app only without other frames", () => {
    const loop =
      "\n    at Generator.next (<anonymous>)\n    at ~effect/Effect/evaluate (/app/effect.js:1:1)\n    at main (/app/main.js:9:9)"
    const spans = ["    at brew (/app/brew.js:3:3)", "    at GET /teas (/app/serve.js:4:4)"]
    const told = (stack: string) =>
      framesOf(stack, "Error: x", "/app", spans).map((each) => [each.function, each.in_app])
    expect(told(`Error: x\n    at pour (/app/pour.js:1:1)${loop}`)).toEqual([
      ["GET /teas", false],
      ["brew", false],
      ["pour", true],
    ])
    expect(told(`Error: x\n    at query (/app/node_modules/pg/index.js:1:1)${loop}`)).toEqual([
      ["GET /teas", true],
      ["brew", true],
      ["query", false],
    ])
  })

  it("are empty without a stack", () => {
    expect(framesOf("", "Error", "/app")).toEqual([])
    expect(framesOf("Error: x\n  somewhere else\n    at ", "Error: x", "/app")).toEqual([])
  })
})
