// Reports an error with the SDK for Node, and reads from the application that it was recorded.
import assert from "node:assert/strict"
import * as Sentry from "@sentry/node"

const recorded = async () => (await fetch(process.argv[2])).json()

const { dsn } = await recorded()
Sentry.init({ dsn, defaultIntegrations: false })
Sentry.captureException(new Error("From the SDK"))
assert.equal(await Sentry.flush(10_000), true)
assert.deepEqual((await recorded()).messages, ["From the SDK"])
