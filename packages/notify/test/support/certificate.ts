/** A self-signed certificate for 127.0.0.1, with its key. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Makes a certificate. */
export const makeCertificate = (): { readonly cert: string; readonly key: string } => {
  const folder = mkdtempSync(join(tmpdir(), "errata-mail-"))
  const key = join(folder, "key.pem")
  const cert = join(folder, "cert.pem")
  try {
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        key,
      ].concat([
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
      ]),
      { stdio: "ignore" },
    )
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
