/** The configuration of Next.js. Its own type for it is `NextConfig`. */
export default {
  // Sentry SDKs send to addresses that end with a slash, and do not follow the redirect of Next.js.
  skipTrailingSlashRedirect: true,
}
