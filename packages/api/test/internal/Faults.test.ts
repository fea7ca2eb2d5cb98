import { expect, it } from "vitest"
import { faultText } from "../../src/internal/Faults.js"

it("joins the error and its cause, without repeating a message", () => {
  const cause = new Error("connect ECONNREFUSED 127.0.0.1:1")
  expect(faultText(new TypeError("fetch failed", { cause }), "key")).toBe(
    "fetch failed: connect ECONNREFUSED 127.0.0.1:1",
  )
  expect(faultText(new Error("same", { cause: new Error("same") }), "key")).toBe("same")
  expect(faultText(new AggregateError([new Error("a"), new Error("b")]), "key")).toBe("a, b")
  expect(faultText("refused", "key")).toBe("refused")
  expect(faultText(undefined, "key")).toBe("no connection")
})

it("ends at circular causes", () => {
  const round = new Error("round")
  round.cause = round
  expect(faultText(round, "key")).toBe("round")
})

it("redacts the secret", () => {
  expect(faultText(new Error("header Bearer s3cret, s3cret"), "s3cret")).toBe(
    "header Bearer <redacted>, <redacted>",
  )
})
