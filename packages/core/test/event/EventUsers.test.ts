import { describe, expect, it } from "vitest"
import { hashSpace, userHashOf } from "../../src/event/EventUsers.js"

const nobody = {
  user_id: "",
  username: "",
  email: "",
  ip_address: "",
  geo_city: "",
  geo_region: "",
  geo_country_code: "",
  data: {},
}

describe("the hash of a user", () => {
  it("is by the id, else the email address, else the username, else the IP address", () => {
    const user = { ...nobody, user_id: "1", email: "a@b", username: "ann", ip_address: "10.0.0.1" }
    expect(userHashOf(1, user)).toBe(userHashOf(1, { ...nobody, user_id: "1" }))
    expect(userHashOf(1, { ...user, user_id: "" })).toBe(userHashOf(1, { ...nobody, email: "a@b" }))
    const named = { ...user, user_id: "", email: "" }
    expect(userHashOf(1, named)).toBe(userHashOf(1, { ...nobody, username: "ann" }))
    expect(userHashOf(1, nobody)).toBeNull()
    expect(userHashOf(1, { ...nobody, geo_city: "Vienna" })).toBeNull()
  })

  it("differs between projects, and between an id and an email address of the same text", () => {
    const hashes = [
      userHashOf(1, { ...nobody, user_id: "x" }),
      userHashOf(2, { ...nobody, user_id: "x" }),
      userHashOf(1, { ...nobody, email: "x" }),
    ]
    expect(new Set(hashes).size).toBe(3)
    for (const hash of hashes) expect(hash).toBeLessThan(hashSpace)
  })
})
