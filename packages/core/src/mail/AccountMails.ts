/**
 * Mail to people about their accounts: links that sign them in once. Links begin with the configured base URL and never with
 * the `Host` of a request, which its sender chooses. Nothing is mailed without a base URL.
 */
import { Context, Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { JobStore } from "../background/JobStore.js"
import { NodeName } from "../background/NodeName.js"
import * as WebUrl from "../group/WebUrl.js"
import { CredentialStore } from "../identity/CredentialStore.js"
import * as SignInLink from "../identity/SignInLink.js"
import * as Throttle from "../identity/Throttle.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import type { User, UserId } from "../user/User.js"
import { UserStore } from "../user/UserStore.js"
import { isStorable } from "../validation/StorableText.js"
import { type AccountMail, Mailer, MailFailed } from "./Mailer.js"

/** The name by which health reports the last success and the last failure of this mail. */
export const heartbeatName = "account_mail"

/** A request for mail to a person who lost their password. */
export interface ResetRequest {
  readonly emailAddress: string
  /** The IP address of the sender; empty if it is unknown. */
  readonly address: string
}

/** Sends mail to people about their accounts, where mail is set up. */
export class AccountMails extends Context.Service<AccountMails>()("@errata/core/mail/AccountMails", {
  make: Effect.gen(function* () {
    const mailer = yield* Mailer
    // The configured address: requests provide their own.
    const webAddress = yield* WebUrl.WebAddress
    const users = yield* UserStore
    const credentials = yield* CredentialStore
    const throttles = yield* RateLimitStore
    const jobs = yield* JobStore
    const node = yield* NodeName
    const scope = yield* Effect.scope
    const turns = Semaphore.makeUnsafe(maxConcurrent)
    let waiting = 0

    const setUp = mailer === null || webAddress === null ? null : { mailer, webAddress }

    /** Hands a mail over within a limited time. Returns false, and logs the reason, if no mail server took it. */
    const handOver = Effect.fnUntraced(function* (user: User, mail: AccountMail) {
      if (setUp === null) return false
      const failure = yield* setUp.mailer(mail).pipe(
        turns.withPermits(1),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => new MailFailed({ detail: "the mail server did not respond in time" }),
        }),
        Effect.as(null),
        Effect.catchTag("MailFailed", ({ detail }) => Effect.succeed(detail)),
        // A defect may quote the mail.
        Effect.catchDefect(() => Effect.succeed("the mail could not be composed or sent")),
      )
      if (failure !== null) {
        yield* Effect.annotateLogs(Effect.logWarning("Mail about an account was not sent"), {
          user: user.id,
          mail: mail.kind,
          failure,
        })
      }
      const outcome = failure === null ? "succeeded" : ({ failure: "MailFailed" } as const)
      yield* Effect.ignore(jobs.heartbeat(heartbeatName, node, Duration.days(1), outcome))
      return failure === null
    })

    const linkTo = (link: SignInLink.SignInLink, address: string, isReset: boolean) => ({
      url: WebUrl.signInLinkUrl(address, Redacted.value(link.token)) + (isReset ? "&next=%2Faccount" : ""),
      expiresAt: link.expiresAt.epochMilliseconds,
    })

    /**
     * Mails a link that an admin made to its person: an invitation to people without a password. Returns
     * false if mail is not set up, or if no mail server took it. Takes as long as the mail server, within limits.
     */
    const sendLink = Effect.fn("AccountMails.sendLink")(function* (
      { actor }: AuthorizedInstance<"users.administer">,
      userId: UserId,
      link: SignInLink.SignInLink,
    ) {
      const user = setUp === null ? null : Option.getOrNull(yield* users.find(userId))
      if (setUp === null || user === null) return false
      const isReset = yield* Effect.map(credentials.findPassword(user.id), Option.isSome)
      const mail = {
        to: user.emailAddress,
        name: user.name,
        ...linkTo(link, setUp.webAddress, isReset),
      }
      const invitedBy = actor._tag === "System" ? null : actor.user.name
      return yield* handOver(
        user,
        isReset ? { kind: "password_reset", ...mail } : { kind: "invitation", invitedBy, ...mail },
      )
    })

    const activeByAddress = Effect.fnUntraced(function* (emailAddress: string) {
      if (!isStorable(emailAddress) || emailAddress.length > maxEmailAddress) return null
      const found = yield* users.findByEmailAddress(emailAddress.trim())
      return Option.getOrNull(Option.filter(found, ({ active }) => active))
    })

    const reset = Effect.fn("AccountMails.reset")(function* (emailAddress: string) {
      if (setUp === null) return
      // Accounts that do not exist are counted too. Their number is bounded by that of the senders.
      yield* Throttle.attempt([ofAccount(emailAddress)])
      const user = yield* activeByAddress(emailAddress)
      if (user === null) return
      const link = yield* SignInLink.issue(user.id)
      yield* handOver(user, {
        kind: "password_reset",
        to: user.emailAddress,
        name: user.name,
        ...linkTo(link, setUp.webAddress, true),
      })
    })

    /**
     * Mails a link to a person who lost their password. The response does not show whether there is such an account: the
     * account is looked up, and the mail is sent, after this returned. Fails with `TooManyAttempts` by the sender alone.
     */
    const requestReset = Effect.fn("AccountMails.requestReset")(function* (request: ResetRequest) {
      if (setUp === null) return
      if (request.address !== "") {
        yield* Throttle.attempt([ofSender(request.address)]).pipe(
          Effect.provideService(RateLimitStore, throttles),
        )
      }
      if (waiting >= maxWaiting) return yield* Effect.logWarning("Too many password resets wait for mail")
      waiting++
      yield* reset(request.emailAddress).pipe(
        Effect.timeoutOrElse({
          duration: longestReset,
          orElse: () => Effect.logWarning("A password reset took too long"),
        }),
        Effect.catchTag("TooManyAttempts", () =>
          Effect.logInfo("Mail about an account was requested too often"),
        ),
        Effect.catchCause((cause) => Effect.logWarning("A password reset failed", cause)),
        Effect.ensuring(Effect.sync(() => waiting--)),
        Effect.provideService(RateLimitStore, throttles),
        Effect.provideService(CredentialStore, credentials),
        Effect.forkIn(scope),
      )
    })

    return {
      /** True if people can be sent mail about their accounts. */
      isSetUp: setUp !== null,
      sendLink,
      requestReset,
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** Mail about accounts at the same time, and password resets that wait for their turn. */
const maxConcurrent = 4
const maxWaiting = 100

/** An admin waits for this. */
const patience = Duration.seconds(15)

const longestReset = Duration.minutes(2)

const maxEmailAddress = 200

const ofSender = (address: string): Throttle.Bound => ({
  what: "reset-sender",
  whose: Throttle.subscriberOf(address),
  limit: 20,
  window: Duration.minutes(15),
})

const ofAccount = (emailAddress: string): Throttle.Bound => ({
  what: "reset-account",
  whose: Throttle.accountOf(emailAddress),
  limit: 5,
  window: Duration.hours(1),
})
