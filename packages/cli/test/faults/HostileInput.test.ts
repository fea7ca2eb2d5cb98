import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import zlib from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Random from "./support/Random.js"
import { until } from "./support/Wait.js"

const maxRssBytes = 400e6
const MiB = 1024 * 1024
