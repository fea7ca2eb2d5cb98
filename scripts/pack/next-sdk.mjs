// Reports an error with the SDK for Node, lets a route of the application fail, and reads both reports.
import assert from "node:assert/strict"
import * as Sentry from "@sentry/node"

const recorded = async () => (await fetch(process.argv[2])).json()

const { dsn } = await recorded()
Sentry.init({ dsn, defaultIntegrations: false })
Sentry.captureException(new Error("From the SDK"))
assert.equal(await Sentry.flush(10_000), true)
assert.deepEqual((await recorded()).messages, ["From the SDK"])

const visit = async (path) => (await fetch(new URL(path, process.argv[2]), { redirect: "manual" })).status
assert.equal(await visit("/orders/17"), 500)
// Next.js redirects by throwing, which is not an error.
assert.equal(await visit("/moved"), 307)
assert.deepEqual((await recorded()).messages.sort(), ["From the SDK", "Order 17 could not be read"])
assert.deepEqual((await recorded()).culprits, ["GET /orders/[id]"])
