import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
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
  .annotate(OpenApi.Summary, "Get the ingest protection policy and its state")

const updateIngestProtection = HttpApiEndpoint.patch(
  "updateIngestProtection",
  "/data_retention/ingest_protection",
)
  .setPayload(IngestProtectionUpdate)
  .addSuccess(IngestProtectionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the ingest protection policy. Read-only fields are ignored")

const getErrorRetention = HttpApiEndpoint.get("getErrorRetention", "/data_retention/errors")
  .addSuccess(ErrorRetentionView)
  .annotate(OpenApi.Summary, "Get the error retention policy")

const updateErrorRetention = HttpApiEndpoint.patch("updateErrorRetention", "/data_retention/errors")
  .setPayload(ErrorRetentionUpdate)
  .addSuccess(ErrorRetentionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the error retention policy")

const getArtifactRetention = HttpApiEndpoint.get("getArtifactRetention", "/data_retention/artifacts")
  .addSuccess(ArtifactRetentionView)
  .annotate(OpenApi.Summary, "Get the artifact retention policy")

const updateArtifactRetention = HttpApiEndpoint.patch("updateArtifactRetention", "/data_retention/artifacts")
  .setPayload(ArtifactRetentionUpdate)
  .addSuccess(ArtifactRetentionView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the artifact retention policy")

const getHostedSourcemaps = HttpApiEndpoint.get("getHostedSourcemaps", "/data_retention/hosted_sourcemaps")
  .addSuccess(HostedSourcemapsView)
  .annotate(OpenApi.Summary, "Get the policy for hosted source maps")

const updateHostedSourcemaps = HttpApiEndpoint.patch(
  "updateHostedSourcemaps",
  "/data_retention/hosted_sourcemaps",
)
  .setPayload(HostedSourcemapsUpdate)
  .addSuccess(HostedSourcemapsView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the policy for hosted source maps")

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
  .annotate(OpenApi.Description, "Policies of the instance, for admins.")
