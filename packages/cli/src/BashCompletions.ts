/**
 * Completions for bash: commands, their verbs, options, and values where they are few. The script that `@effect/cli`
 * makes knows only the first level of commands.
 */
import type { CommandInfo, Parameter } from "./CommandInfo.js"

export const bashCompletions = (commands: ReadonlyArray<CommandInfo>): string => {
  const leaves = commands.flatMap((command) =>
    command.subcommands.length === 0
      ? [{ path: `errata ${command.name}`, command }]
      : command.subcommands.map((verb) => ({ path: `errata ${command.name} ${verb.name}`, command: verb })),
  )
  const rooms = commands.filter(({ subcommands }) => subcommands.length > 0)
  return [
    "_errata() {",
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"`,
    '  local path="errata" word words="" options="--help"',
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$path $word" in',
    `      ${alternatives([...rooms.map(({ name }) => `errata ${name}`), ...leaves.map(({ path }) => path)])})`,
    '        path="$path $word" ;;',
    "    esac",
    "  done",
    '  case "$path $prev" in',
    ...leaves.flatMap(({ command, path }) => command.options.flatMap((option) => optionCase(path, option))),
    "  esac",
    '  case "$path" in',
    `    errata) words="${names(commands)}" options="--help --version --completions --log-level --log-format" ;;`,
    ...rooms.map((room) => `    "errata ${room.name}") words="${names(room.subcommands)}" ;;`),
    ...leaves.map(
      ({ command, path }) =>
        `    "${path}") words="${command.args.flatMap(({ values }) => values).join(" ")}" ` +
        `options="${[...command.options.flatMap((option) => option.names), "--help"].join(" ")}" ;;`,
    ),
    "  esac",
    '  [[ $cur == -* ]] && words="$options"',
    '  COMPREPLY=( $(compgen -W "$words" -- "$cur") )',
    "}",
    "complete -F _errata errata",
  ].join("\n")
}

// internal

const names = (commands: ReadonlyArray<CommandInfo>): string => commands.map(({ name }) => name).join(" ")

const alternatives = (texts: ReadonlyArray<string>): string => texts.map((text) => `"${text}"`).join("|")

/** What may stand behind an option that takes a value. */
const optionCase = (path: string, { names: spellings, type, values }: Parameter): ReadonlyArray<string> => {
  if (type === "") return []
  const replies =
    values.length > 0
      ? `$(compgen -W "${values.join(" ")}" -- "$cur")`
      : type === "directory"
        ? '$(compgen -d -- "$cur")'
        : type === "file"
          ? '$(compgen -f -- "$cur")'
          : ""
  return [
    `    ${alternatives(spellings.map((name) => `${path} ${name}`))}) COMPREPLY=( ${replies} ); return ;;`,
  ]
}
