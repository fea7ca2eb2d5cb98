import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Authentication } from "./Authentication.js"
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
import { BodyProblem, Forbidden, InternalServerError, ServiceUnavailable } from "./Problem.js"

const getIngestProtection = HttpApiEndpoint.get("getIngestProtection", "/data_retention/ingest_protection")
  .addSuccess(IngestProtectionView)
  .annotate(OpenApi.Summary, "Get what protects the intake, and how it stands")

const updateIngestProtection = HttpApiEndpoint.patch(
  "updateIngestProtection",
  "/data_retention/ingest_protection",
)
  .setPayload(IngestProtectionUpdate)
  .addSuccess(IngestProtectionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change what protects the intake; what only can be read is ignored")

const getErrorRetention = HttpApiEndpoint.get("getErrorRetention", "/data_retention/errors")
  .addSuccess(ErrorRetentionView)
  .annotate(OpenApi.Summary, "Get how long reports are kept")

const updateErrorRetention = HttpApiEndpoint.patch("updateErrorRetention", "/data_retention/errors")
  .setPayload(ErrorRetentionUpdate)
  .addSuccess(ErrorRetentionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change how long reports are kept")

const getArtifactRetention = HttpApiEndpoint.get("getArtifactRetention", "/data_retention/artifacts")
  .addSuccess(ArtifactRetentionView)
  .annotate(OpenApi.Summary, "Get how long release artifacts are kept")

const updateArtifactRetention = HttpApiEndpoint.patch("updateArtifactRetention", "/data_retention/artifacts")
  .setPayload(ArtifactRetentionUpdate)
  .addSuccess(ArtifactRetentionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change how long release artifacts are kept")

const getHostedSourcemaps = HttpApiEndpoint.get("getHostedSourcemaps", "/data_retention/hosted_sourcemaps")
  .addSuccess(HostedSourcemapsView)
  .annotate(OpenApi.Summary, "Get whether source maps are fetched from allowed origins")

const updateHostedSourcemaps = HttpApiEndpoint.patch(
  "updateHostedSourcemaps",
  "/data_retention/hosted_sourcemaps",
)
  .setPayload(HostedSourcemapsUpdate)
  .addSuccess(HostedSourcemapsView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change whether source maps are fetched from allowed origins")

/** What holds for the whole instance; for admins only. */
export const PoliciesApi = HttpApiGroup.make("policies")
  .add(getIngestProtection)
  .add(updateIngestProtection)
  .add(getErrorRetention)
  .add(updateErrorRetention)
  .add(getArtifactRetention)
  .add(updateArtifactRetention)
  .add(getHostedSourcemaps)
  .add(updateHostedSourcemaps)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "What holds for the whole instance; for admins only.")
