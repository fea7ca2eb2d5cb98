import type { Body } from "../internal/Contract.js"

/** What holds for the whole instance; for admins only. Updates change the fields that are given. */
export const policies = {
  /** What protects the intake, and how it stands. */
  getIngestProtection: () => ({}),
  updateIngestProtection: (changes: Body<"policies", "updateIngestProtection">) => ({ payload: changes }),
  /** How long reports are kept. */
  getErrorRetention: () => ({}),
  updateErrorRetention: (changes: Body<"policies", "updateErrorRetention">) => ({ payload: changes }),
  /** How long release artifacts are kept. */
  getArtifactRetention: () => ({}),
  updateArtifactRetention: (changes: Body<"policies", "updateArtifactRetention">) => ({ payload: changes }),
  /** Whether source maps are fetched from allowed origins. */
  getHostedSourcemaps: () => ({}),
  updateHostedSourcemaps: (changes: Body<"policies", "updateHostedSourcemaps">) => ({ payload: changes }),
}
