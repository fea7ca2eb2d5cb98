import { ErrataApiError } from "@errata/api/promise"
import { describe, expect, it } from "vitest"
import { formProblems } from "../src/data/fieldProblems.js"

const rejected = (errors: Record<string, ReadonlyArray<string>>) =>
  new ErrataApiError("POST /webhooks", { title: "Validation Error", status: 422, errors })

describe("the problems of a form", () => {
  it("puts messages to their fields, with the visible name", () => {
    const labels = { url: "URL", events: "Events" }
    expect(formProblems(rejected({ url: ["is not a URL"], "events[0]": ["must be known"] }), labels)).toEqual(
      {
        fields: { url: "URL is not a URL.", events: "Events must be known." },
        form: null,
      },
    )
  })

  it("puts messages to parts of a field that have a name of their own", () => {
    const problems = formProblems(rejected({ "address.url": ["can't be blank"], "address.x": ["is new"] }), {
      "address.url": "URL",
    })
    expect(problems).toEqual({
      fields: { "address.url": "URL can't be blank." },
      form: "address.x is new.",
    })
  })

  it("keeps several messages of a field", () => {
    const problems = formProblems(rejected({ "events[0]": ["is wrong"], "events[1]": ["too"] }), {
      events: "Events",
    })
    expect(problems.fields["events"]).toBe("Events is wrong. Events too.")
  })

  it("shows messages of other fields and of the request above all fields", () => {
    expect(
      formProblems(rejected({ base: ["is too large"], secret: ["is unknown"] }), { url: "URL" }),
    ).toEqual({
      fields: {},
      form: "The request is too large. secret is unknown.",
    })
  })

  it("describes failures without fields", () => {
    const refused = new ErrataApiError("POST /webhooks", {
      title: "Forbidden",
      status: 403,
      detail: "Not allowed",
    })
    expect(formProblems(refused, {})).toEqual({ fields: {}, form: "Not allowed." })
  })
})
