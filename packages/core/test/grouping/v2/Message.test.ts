import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maxMessageLength, normalizeMessage } from "../../../src/grouping/v2/Message.js"
import { expectLinear } from "../../support/linear.js"

const same = (rows: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  rows.map((row) => [row, row])

const tables: Readonly<Record<string, ReadonlyArray<readonly [string, string]>>> = {
  identifiers: [
    ["User 42 not found", "User <n> not found"],
    ["User 550e8400-e29b-41d4-a716-446655440000 not found", "User <uuid> not found"],
    ["Order 404 failed for user 200", "Order <n> failed for user <n>"],
    ["cart_1234 is empty", "cart_<n> is empty"],
    ["Thread-12 died", "Thread-<n> died"],
    ["pool-1-thread-2 died", "pool-<n>-thread-<n> died"],
    ["#123 is gone", "#<n> is gone"],
    ["id=5, key:77", "id=<n>, key:<n>"],
    ["GET /users/123/orders/4567 failed", "GET /users/<n>/orders/<n> failed"],
    ["session V1StGXR8_Z5jdHi6B-myT expired", "session <hash> expired"],
    ["commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b missing", "commit <hash> missing"],
    ["commit 9f86d08 missing", "commit <hash> missing"],
    ["job 01ARZ3NDEKTSV4RRFFQ69G5FAV lost", "job <hash> lost"],
    [
      "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
      "Bearer <hash>",
    ],
    ["Pod web-5d4f8c7b9-x2v7q crashed", "Pod <hash> crashed"],
    ["open '/tmp/upload_1a2b3c4d5e/x.txt'", "open '/tmp/<hash>/x.txt'"],
  ],
  quantities: [
    ["step 3 of 5 failed", "step <n> of <n> failed"],
    ["took 1.5s, limit 5000ms", "took <n>s, limit <n>ms"],
    ["price -5 is negative", "price <n> is negative"],
    ["1,234,567 rows", "<n> rows"],
    ["1e-5 is too small", "<n> is too small"],
    ["7MB until OOM", "<n>MB until OOM"],
    ["returned 200 rows", "returned <n> rows"],
    ["Error: 42 items failed", "Error: <n> items failed"],
    ["foo.js:10:5 unexpected token", "foo.js:<n>:<n> unexpected token"],
    ["Invalid value '123'", "Invalid value '<n>'"],
    ['Invalid value "4.5"', 'Invalid value "<n>"'],
  ],
  times: [
    ["2025-01-31T10:30:00.123Z started", "<time> started"],
    ["2025-01-31 10:30:00,123 [main] started", "<time> [main] started"],
    ["at 2025-01-31 10:30:00 +0100 it broke", "at <time> it broke"],
    ["on 2025-01-31 it broke", "on <time> it broke"],
    ["20250131T103000Z", "<time>"],
    ["Fri, 31 Jan 2025 10:30:00 +0000 failed", "<time> failed"],
    ["Fri Jan 31 10:30:00 2025: failed", "<time>: failed"],
    ["Fri Jan 31 10:30:00 UTC 2025 failed", "<time> failed"],
    ["Fri Jan 31 2025 10:30:00 GMT+0100 (Central European Standard Time) bad", "<time> bad"],
    ["Jan 31, 2025, 10:30 AM bad", "<time> bad"],
    ["31.01.2025 10:30 Fehler", "<time> Fehler"],
    ["1/31/2025, 10:30:00 AM oops", "<time> oops"],
    ["10:30:00.123 tick", "<time> tick"],
    ["expired at 1738281600", "expired at <n>"],
    ["expired at 1738281600.123", "expired at <n>"],
  ],
  addresses: [
    ["ping 10.1.2.3 failed", "ping <ip> failed"],
    ["ECONNREFUSED ::1:5432", "ECONNREFUSED <ip>:5432"],
    ["no route to 2001:db8::8a2e:370:7334", "no route to <ip>"],
    ["fe80::1%eth0 is down", "<ip> is down"],
    ["::ffff:10.0.0.1 refused", "<ip> refused"],
    ["00:1A:2B:3C:4D:5E offline", "<mac> offline"],
    ["mail to ada.l+x@mail.example.com bounced", "mail to <email> bounced"],
    ["<Foo object at 0x7f3a2c1b9d50>", "<Foo object at <addr>>"],
    ["java.lang.Object@1b6d3586 leaked", "java.lang.Object@<addr> leaked"],
    ["segfault at 00007ffd8c5a1234", "segfault at <hash>"],
  ],
  URLs: [
    [
      "GET https://api.example.com/users/123?token=abc&x=1#frag failed.",
      "GET https://api.example.com/users/<n>?token=<value>&x=<value> failed.",
    ],
    [
      "(see https://u:p@10.0.0.1:8443/a/550e8400-e29b-41d4-a716-446655440000)",
      "(see https://<ip>:8443/a/<uuid>)",
    ],
    ["https://a.example/v1/9f86d081884c7d65?", "https://a.example/v1/<hash>?"],
    ["Failed to load /api/items?page=3&size=20", "Failed to load /api/items?page=<value>&size=<value>"],
    ["ws://[::1]:80/x closed", "ws://<ip>:80/x closed"],
  ],
  "the parts that distinguish kinds of errors": [
    ...same([
      "HTTP 500",
      "HTTP/1.1 503 Service Unavailable",
      "HTTP/2 503",
      "Request failed with status code 404",
      "status: 502",
      "statusCode=502",
      '{"status":500}',
      "got 404 from upstream",
      "server responded with 503",
      "429 Client Error: Too Many Requests for url: https://slack.com/api/chat.postMessage",
      "404 Not Found",
      "HTTPError 404",
      "Cannot load the cart: 503",
      "responded with a status of 404 (Not Found)",
      "GET /cart 500 (Internal Server Error)",
      "[500] boom",
      "500: oops",
      "The remote server returned an error: (403) Forbidden.",
      "SQLSTATE[HY000] [2002] Connection refused",
      "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry",
      "ERROR 1045 (28000): Access denied for user 'root'",
      "duplicate key (SQLSTATE 23505)",
      "ORA-00942: table or view does not exist",
      "[Errno 2] No such file or directory",
      "open() failed (13: Permission denied)",
      "os error 111",
      "errno -2",
      "Signal 6, Code 0",
      "killed by signal 9",
      "terminated by SIGKILL (9)",
      "exited with code 137",
      "exit status 2",
      "exit code: -1",
      "Exit code 0xc0000005",
      "HRESULT: 0x80070005 (E_ACCESSDENIED)",
      "Port 8080 is already in use",
      "address already in use :::3000",
      "could not connect to localhost:5432",
      "dial tcp redis:6379: connection refused",
      "redis.internal:6379 timed out",
      "requires version 1.2.3",
      "v1.2.3-beta.1 is too old",
      "Python 3.10 required",
      "Node.js 18 required",
      "TLS 1.2 handshake",
      "Chrome/120.0.0.0",
      "assembly Version=3.1.3.0",
    ]),
    ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED <ip>:5432"],
  ],
  "words that only look like something else": same([
    "'utf8' codec failed",
    "sha256 mismatch",
    "x86_64 unsupported",
    "std::abort called in Foo::Bar",
    "some_function_name_that_is_long failed",
    "someVeryLongCamelCaseFunctionName2 failed",
    "TLSv1.2 handshake",
    "Cannot read properties of undefined (reading 'x')",
    "decade facade deadbeef",
    "what? a=b",
  ]),
}

describe.each(Object.entries(tables))("normalizeMessage: %s", (_, rows) => {
  it.each(rows)("%j", (message, expected) => {
    expect(normalizeMessage(message)).toBe(expected)
  })
})

describe("normalizeMessage", () => {
  it("collapses whitespace", () => {
    expect(normalizeMessage("  a\n\tb   c ")).toBe("a b c")
    expect(normalizeMessage(" \n ")).toBe("")
  })

  it("is bounded, whatever the length of an id near the front", () => {
    const tail = "word ".repeat(5000)
    expect(normalizeMessage(`user ${"7".repeat(300)} ${tail}`)).toBe(normalizeMessage(`user 7 ${tail}`))
    expect(normalizeMessage(tail)).toHaveLength(maxMessageLength)
  })

  it("normalizes all ids of a kind to the same text", () => {
    const templates = [
      (id: string) => `User ${id} not found`,
      (id: string) => `GET /users/${id} failed`,
      (id: string) => `duplicate value '${id}' for key`,
      (id: string) => `https://a.example/items/${id}?page=${id}`,
      (id: string) => `job_${id}: done`,
      (id: string) => `(${id}) [${id}] lost`,
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.integer({ min: 1000 }),
        fc.uuid(),
        fc.ipV4(),
        (template, id, uuid, ip) => {
          expect(normalizeMessage(template(String(id)))).toBe(normalizeMessage(template("123456")))
          expect(normalizeMessage(`x ${uuid} y`)).toBe("x <uuid> y")
          expect(normalizeMessage(`host ${ip} down`)).toBe("host <ip> down")
        },
      ),
    )
  })

  it("normalizes all times to the same text", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
        (date) => {
          for (const text of [
            date.toISOString(),
            date.toUTCString(),
            date.toISOString().slice(0, 19).replace("T", " "),
          ]) {
            expect(normalizeMessage(`at ${text} it broke`)).toBe("at <time> it broke")
          }
        },
      ),
    )
  })

  it("takes time linear in the length of a hostile text", () => {
    const units = [
      ...[
        "a",
        "1",
        "a1",
        "1a",
        "-",
        ".",
        "1.",
        "1.1.1.",
        ":",
        "::",
        "0x",
        "1:",
        "10:30:00",
        "@",
        "a@",
        "a.a@",
        "a-",
        "_",
      ],
      ...[
        "http://",
        "http://a....",
        "http://a?a=b&",
        "?a=",
        "?",
        "/1",
        "1,",
        "1,111",
        '"1"',
        "Mon ",
        "Jan 1 ",
        "=",
        "1e5",
      ],
      ...[
        "2025-01-01T",
        "status ",
        "error 1(",
        "code code ",
        "sqlstate[1] ",
        "got with a ",
        "deadbeef",
        " ",
        "\n",
        "𝒳",
      ],
    ]
    const normalized = (size: number) => {
      for (const unit of units) {
        for (const start of ["", "1", "http://h/", "status "]) {
          normalizeMessage((start + unit.repeat(size / unit.length)).slice(0, size))
        }
      }
    }
    // Below and above the length limit.
    expectLinear(8192, normalized)
    expectLinear(65_536, normalized)
  })
})
