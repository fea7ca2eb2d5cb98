/** Commands of the API. They share the options of the connection, and explain failures in the same way. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { CommandFailed } from "../ErrorOutput.js"
import { connectionOptions, projectOption } from "./ApiOptions.js"
import type { Failure } from "./Failures.js"
import type { ReaderGone } from "./Output.js"
import { connected, inProject, type ProjectSession, type Session } from "./Session.js"

type Options = Command.Command.Config
type Values<Some extends Options> = Command.Command.Config.Infer<Some>
type Connection = Values<typeof connectionOptions>
type InProject = Values<typeof connectionOptions & typeof projectOption>

// biome-ignore lint/suspicious/noExplicitAny: as in the signature of `Effect.gen`.
type Step = Effect.Effect<any, Failure | CommandFailed | ReaderGone, any>

/** A command that uses a server. */
export const apiCommand = <const Name extends string, const Own extends Options, Eff extends Step>(
  name: Name,
  description: string,
  options: Own,
  run: (choice: Values<Own> & Connection, session: Session) => Generator<Eff, unknown, never>,
) =>
  Command.make(name, { ...options, ...connectionOptions }, (given) => {
    const choice = given as Values<Own> & Connection
    return connected(choice, (session) => stepsOf(run(choice, session)))
  }).pipe(Command.withDescription(description))

/** A command about one project. */
export const projectCommand = <const Name extends string, const Own extends Options, Eff extends Step>(
  name: Name,
  description: string,
  options: Own,
  run: (choice: Values<Own> & InProject, session: ProjectSession) => Generator<Eff, unknown, never>,
) =>
  Command.make(name, { ...options, ...projectOption, ...connectionOptions }, (given) => {
    const choice = given as Values<Own> & InProject
    return inProject(choice, (session) => stepsOf(run(choice, session)))
  }).pipe(Command.withDescription(description))

// internal

const stepsOf = <Eff extends Step>(steps: Generator<Eff, unknown, never>) =>
  Effect.gen(() => steps) as Effect.Effect<unknown, Effect.Error<Eff>, Effect.Services<Eff>>
