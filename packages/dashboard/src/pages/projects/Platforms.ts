/** The platforms that the setup page has instructions for, under the names of Sentry's SDKs. */
export const platforms: Readonly<Record<string, string>> = {
  node: "Node.js",
  javascript: "Browser",
  react: "React",
  nextjs: "Next.js",
  python: "Python",
  php: "PHP",
  ruby: "Ruby",
  go: "Go",
  java: "Java",
  dotnet: ".NET",
  rust: "Rust",
  swift: "Swift",
  kotlin: "Kotlin",
  flutter: "Flutter",
  elixir: "Elixir",
  other: "Other",
}

/** Returns the display name of a platform. */
export const platformName = (platform: string): string => platforms[platform] ?? platform
