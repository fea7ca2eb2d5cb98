/** Problem documents: their schemas, and functions that make them. */
export * from "./ProblemSchemas.js"
export {
  badRequest,
  conflict,
  contentTooLarge,
  forbidden,
  internalServerError,
  methodNotAllowed,
  notFound,
  problemMediaType,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
  validationFailed,
} from "./Problems.js"
