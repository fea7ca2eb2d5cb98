import { expect, it } from "@effect/vitest"
import { errorName, errorTitle } from "../../src/text/ErrorTitle.js"

const error = (error_type: string, error_message: string) => ({ error_type, error_message })

it("a title has type and message in one line, or a replacement without both", () => {
  expect(errorTitle(error("TypeError", "x"))).toBe("TypeError: x")
  expect(errorTitle(error("", "a\nb"))).toBe("a b")
  expect(errorTitle(error("TypeError", ""))).toBe("TypeError")
  expect(errorTitle(error("", ""))).toBe("Unnamed error")
  expect(errorTitle(error("TypeError", "x".repeat(50)), 20)).toHaveLength(20)
})

it("a name is the type, or else the message", () => {
  expect(errorName(error("TypeError", "x"))).toBe("TypeError")
  expect(errorName(error("", "\u202Eabc"))).toBe("\\u{202e}abc")
  expect(errorName(error("", ""))).toBe("Unnamed error")
})
