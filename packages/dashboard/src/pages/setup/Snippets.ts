/** Setup code for each platform, with Sentry's official SDKs. */

export interface Snippet {
  /** The purpose of the code: `Install the SDK`. */
  readonly title: string
  /** The file that contains the code. Null for commands. */
  readonly file: string | null
  readonly code: string
}

/** Returns the steps of a platform: installation, start, and a first error. */
export const snippetsFor = (platform: string, dsn: string): ReadonlyArray<Snippet> =>
  (guides[platform] ?? other)(dsn)

// internal

type Guide = (dsn: string) => ReadonlyArray<Snippet>

const guide =
  (
    install: string,
    file: string | null,
    start: (dsn: string) => string,
    first: string,
    startTitle = "Start it before anything else",
  ): Guide =>
  (dsn) => [
    { title: "Install the SDK", file: null, code: install },
    { title: startTitle, file, code: start(dsn) },
    { title: "Report a first error", file: null, code: first },
  ]

const javascript =
  (name: string, options = "") =>
  (dsn: string) =>
    `import * as Sentry from "${name}"

Sentry.init({
  dsn: "${dsn}",${options}
})`

const captureJs = `Sentry.captureException(new Error("Hello, Errata"))`

const other: Guide = (dsn) => [
  {
    title: "Use the DSN in any Sentry SDK",
    file: null,
    code: dsn,
  },
  {
    title: "Or send an event with curl",
    file: null,
    code: `curl '${storeUrl(dsn)}' \\
  -d '{"level":"error","exception":{"values":[{"type":"Error","value":"Hello, Errata"}]}}'`,
  },
]

const storeUrl = (dsn: string): string => {
  const url = new URL(dsn)
  const at = url.pathname.lastIndexOf("/")
  return `${url.origin}${url.pathname.slice(0, at)}/api${url.pathname.slice(at)}/store/?sentry_key=${url.username}&sentry_version=7`
}

const guides: Readonly<Record<string, Guide>> = {
  node: guide(
    "npm install @sentry/node",
    "instrument.mjs, loaded with node --import ./instrument.mjs",
    javascript("@sentry/node", "\n  release: process.env.GIT_SHA,"),
    captureJs,
  ),
  javascript: guide("npm install @sentry/browser", "main.js", javascript("@sentry/browser"), captureJs),
  react: guide(
    "npm install @sentry/react",
    "main.jsx",
    (dsn) => `import * as Sentry from "@sentry/react"
import { createRoot } from "react-dom/client"

Sentry.init({
  dsn: "${dsn}",
})

createRoot(document.getElementById("root"), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
}).render(<App />)`,
    `<button onClick={() => { throw new Error("Hello, Errata") }}>Break</button>`,
  ),
  nextjs: guide(
    "npm install @sentry/nextjs",
    "instrumentation.ts, and the same Sentry.init in instrumentation-client.ts",
    (dsn) => `import * as Sentry from "@sentry/nextjs"

export function register() {
  Sentry.init({
    dsn: "${dsn}",
  })
}

export const onRequestError = Sentry.captureRequestError`,
    captureJs,
  ),
  python: guide(
    "pip install sentry-sdk",
    null,
    (dsn) => `import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
)`,
    `sentry_sdk.capture_exception(Exception("Hello, Errata"))`,
  ),
  php: guide(
    "composer require sentry/sentry",
    null,
    (dsn) => `require __DIR__ . '/vendor/autoload.php';

\\Sentry\\init([
    'dsn' => '${dsn}',
]);`,
    `\\Sentry\\captureException(new \\Exception('Hello, Errata'));`,
  ),
  ruby: guide(
    "bundle add sentry-ruby",
    "config/initializers/sentry.rb for Rails",
    (dsn) => `require "sentry-ruby"

Sentry.init do |config|
  config.dsn = "${dsn}"
end`,
    `Sentry.capture_exception(StandardError.new("Hello, Errata"))`,
  ),
  go: guide(
    "go get github.com/getsentry/sentry-go",
    "main.go",
    (dsn) => `err := sentry.Init(sentry.ClientOptions{
	Dsn: "${dsn}",
})
if err != nil {
	log.Fatalf("sentry.Init: %s", err)
}
defer sentry.Flush(2 * time.Second)`,
    `sentry.CaptureException(errors.New("Hello, Errata"))`,
  ),
  java: guide(
    `implementation("io.sentry:sentry:8.+")`,
    null,
    (dsn) => `import io.sentry.Sentry;

Sentry.init(options -> {
  options.setDsn("${dsn}");
});`,
    `Sentry.captureException(new RuntimeException("Hello, Errata"));`,
  ),
  kotlin: guide(
    `implementation("io.sentry:sentry:8.+")`,
    null,
    (dsn) => `import io.sentry.Sentry

Sentry.init { options ->
  options.dsn = "${dsn}"
}`,
    `Sentry.captureException(RuntimeException("Hello, Errata"))`,
  ),
  dotnet: guide(
    "dotnet add package Sentry",
    "Program.cs",
    (dsn) => `using Sentry;

using var sentry = SentrySdk.Init(options =>
{
    options.Dsn = "${dsn}";
});`,
    `SentrySdk.CaptureException(new Exception("Hello, Errata"));`,
  ),
  rust: guide(
    "cargo add sentry",
    "main.rs",
    (dsn) => `let _guard = sentry::init(("${dsn}", sentry::ClientOptions {
    release: sentry::release_name!(),
    ..Default::default()
}));`,
    `sentry::capture_message("Hello, Errata", sentry::Level::Error);`,
  ),
  swift: guide(
    "https://github.com/getsentry/sentry-cocoa",
    "the App's init, or application(_:didFinishLaunchingWithOptions:)",
    (dsn) => `import Sentry

SentrySDK.start { options in
    options.dsn = "${dsn}"
}`,
    `SentrySDK.capture(message: "Hello, Errata")`,
  ),
  flutter: guide(
    "flutter pub add sentry_flutter",
    "lib/main.dart",
    (dsn) => `import 'package:sentry_flutter/sentry_flutter.dart';

Future<void> main() async {
  await SentryFlutter.init(
    (options) => options.dsn = '${dsn}',
    appRunner: () => runApp(const MyApp()),
  );
}`,
    `await Sentry.captureException(Exception('Hello, Errata'));`,
  ),
  elixir: guide(
    `{:sentry, "~> 11.0"}, {:hackney, "~> 1.8"}`,
    "config/config.exs",
    (dsn) => `config :sentry,
  dsn: "${dsn}",
  environment_name: Mix.env()`,
    `Sentry.capture_message("Hello, Errata", level: :error)`,
    "Configure it",
  ),
}
