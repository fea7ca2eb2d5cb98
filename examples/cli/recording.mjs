/** Replaces values that differ between runs with constants: addresses, tokens, secrets and times. */
export const recorded = (text, url) =>
  text
    .replaceAll(url, "http://127.0.0.1:4000")
    .replaceAll(new URL(url).host, "127.0.0.1:4000")
    .replaceAll(/\/\S+\/errata\/profile\.json/g, "~/.config/errata/profile.json")
    .replaceAll(/[0-9a-f]{32}(?=@)/g, "4f1f9e6c0a7d4b2e8c3a5d7f90b1e2c4")
    .replaceAll(/(?<="token":")[0-9a-f]{32}/g, "4f1f9e6c0a7d4b2e8c3a5d7f90b1e2c4")
    .replaceAll(/whsec_[\w+/=]+/g, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw9pyJkRG1PkE=")
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "2026-01-02 03:04:05 UTC")
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-01-02T03:04:05.678Z")
    .replaceAll(/\b(?:\d+[sm] ago|just now)/g, "just now")
    // Bare ages are right-aligned; the replacement keeps their width.
    .replaceAll(/(?<= )(?: \d[sm]|\d\d[sm]|now)(?= )/g, " 9s")
