import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  ArtifactRetentionUpdate,
  ArtifactRetentionView,
  ErrorRetentionUpdate,
  ErrorRetentionView,
  HostedSourcemapsUpdate,
  HostedSourcemapsView,
  IngestProtectionUpdate,
  IngestProtectionView,
} from "./PolicyView.js"
import { bodyProblems, instanceProblems } from "./Problem.js"

const getIngestProtection = HttpApiEndpoint.get("getIngestProtection", "/data_retention/ingest_protection", {
  success: IngestProtectionView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the ingest protection policy and its state (admin)")

const updateIngestProtection = HttpApiEndpoint.patch(
  "updateIngestProtection",
  "/data_retention/ingest_protection",
  {
    payload: IngestProtectionUpdate,
    success: IngestProtectionView,
    error: [...instanceProblems, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Change the ingest protection policy. Read-only fields are ignored (admin)")

const getErrorRetention = HttpApiEndpoint.get("getErrorRetention", "/data_retention/errors", {
  success: ErrorRetentionView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the error retention policy (admin)")

const updateErrorRetention = HttpApiEndpoint.patch("updateErrorRetention", "/data_retention/errors", {
  payload: ErrorRetentionUpdate,
  success: ErrorRetentionView,
  error: [...instanceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change the error retention policy (admin)")

const getArtifactRetention = HttpApiEndpoint.get("getArtifactRetention", "/data_retention/artifacts", {
  success: ArtifactRetentionView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the artifact retention policy (admin)")

const updateArtifactRetention = HttpApiEndpoint.patch(
  "updateArtifactRetention",
  "/data_retention/artifacts",
  {
    payload: ArtifactRetentionUpdate,
    success: ArtifactRetentionView,
    error: [...instanceProblems, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Change the artifact retention policy (admin)")

const getHostedSourcemaps = HttpApiEndpoint.get("getHostedSourcemaps", "/data_retention/hosted_sourcemaps", {
  success: HostedSourcemapsView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the policy for hosted source maps (admin)")

const updateHostedSourcemaps = HttpApiEndpoint.patch(
  "updateHostedSourcemaps",
  "/data_retention/hosted_sourcemaps",
  {
    payload: HostedSourcemapsUpdate,
    success: HostedSourcemapsView,
    error: [...instanceProblems, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Change the policy for hosted source maps (admin)")

/** Settings of the whole instance. For admins only. */
export const PoliciesApi = HttpApiGroup.make("policies")
  .add(
    getIngestProtection,
    updateIngestProtection,
    getErrorRetention,
    updateErrorRetention,
    getArtifactRetention,
    updateArtifactRetention,
    getHostedSourcemaps,
    updateHostedSourcemaps,
  )
  .annotate(OpenApi.Description, "Policies of the instance, for admins.")
