import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { pageParams, userIdParam } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import {
  CreatedUserView,
  RotatedKeyView,
  SignInLinkView,
  UserCreation,
  UserUpdate,
  UserView,
} from "./UserView.js"

const list = HttpApiEndpoint.get("list", "/users")
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("users", UserView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the active users")

const create = HttpApiEndpoint.post("create", "/users")
  .setPayload(UserCreation)
  .addSuccess(CreatedUserView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Create a user and a link for the first sign-in")

const createSignInLink = HttpApiEndpoint.post("createSignInLink")`/users/${userIdParam}/sign_in_link`
  .addSuccess(SignInLinkView, { status: 201 })
  .addError(NotFound)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "Create a sign-in link for a user. Earlier links stop working")

const rotateApiKey = HttpApiEndpoint.post("rotateApiKey")`/users/${userIdParam}/api_key`
  .addSuccess(RotatedKeyView, { status: 201 })
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Replace the API key of a user. The previous key stops working")

const get = HttpApiEndpoint.get("get")`/users/${userIdParam}`
  .addSuccess(UserView)
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Get a user")

const update = HttpApiEndpoint.patch("update")`/users/${userIdParam}`
  .setPayload(UserUpdate)
  .addSuccess(UserView)
  .addError(NotFound)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the role of a user")

const deactivate = HttpApiEndpoint.delete("deactivate")`/users/${userIdParam}`
  .addError(NotFound)
  .addError(ValidationFailed)
  .annotate(
    OpenApi.Summary,
    "Deactivate a user. The API key, sessions and connected apps stop working at once",
  )

/** The people who work with the instance; for admins only. */
export const UsersApi = HttpApiGroup.make("users")
  .add(list)
  .add(create)
  .add(createSignInLink)
  .add(rotateApiKey)
  .add(get)
  .add(update)
  .add(deactivate)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Users of the instance, for admins.")
