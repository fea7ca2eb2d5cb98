import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { userIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, NotFound, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"
import {
  CreatedUserView,
  RotatedKeyView,
  SignInLinkView,
  UserCreation,
  UsersPage,
  UserUpdate,
  UserView,
} from "./UserView.js"

const list = HttpApiEndpoint.get("list", "/users", {
  query: PageParams,
  success: UsersPage,
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the active users (admin)")

const create = HttpApiEndpoint.post("create", "/users", {
  payload: UserCreation,
  success: withStatus(201, CreatedUserView),
  error: [...instanceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a user and a link for the first sign-in (admin)")

const createSignInLink = HttpApiEndpoint.post("createSignInLink", "/users/:user_id/sign_in_link", {
  params: { user_id: userIdParam },
  success: withStatus(201, SignInLinkView),
  error: [...instanceProblems, NotFound, ValidationFailed],
}).annotate(OpenApi.Summary, "Create a sign-in link for a user. Earlier links stop working (admin)")

const rotateApiKey = HttpApiEndpoint.post("rotateApiKey", "/users/:user_id/api_key", {
  params: { user_id: userIdParam },
  success: withStatus(201, RotatedKeyView),
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Replace the API key of a user. The previous key stops working (admin)")

const get = HttpApiEndpoint.get("get", "/users/:user_id", {
  params: { user_id: userIdParam },
  success: UserView,
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Get a user (admin)")

const update = HttpApiEndpoint.patch("update", "/users/:user_id", {
  params: { user_id: userIdParam },
  payload: UserUpdate,
  success: UserView,
  error: [...instanceProblems, NotFound, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change the role of a user (admin)")

const deactivate = HttpApiEndpoint.delete("deactivate", "/users/:user_id", {
  params: { user_id: userIdParam },
  error: [...instanceProblems, NotFound, ValidationFailed],
}).annotate(
  OpenApi.Summary,
  "Deactivate a user. The API key, sessions and connected tools stop working at once (admin)",
)

/** The users of the instance. For admins only. */
export const UsersApi = HttpApiGroup.make("users")
  .add(list, create, createSignInLink, rotateApiKey, get, update, deactivate)
  .annotate(OpenApi.Description, "Users of the instance, for admins.")
