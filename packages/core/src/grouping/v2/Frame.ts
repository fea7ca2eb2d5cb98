/**
 * FROZEN with `GroupingV2.ts`. Normalizes stack frames to be the same across releases, machines and browsers: removes
 * the additions of compilers, bundlers and engines.
 */
import { isRandom } from "./Random.js"

/** Maximum length of names and paths, in UTF-16 units. The patterns are bounded too: names are untrusted. */
const MaxLength = 1024

const bounded = (text: string): string => (text.length > MaxLength ? text.slice(0, MaxLength) : text)

/** True for file names that engines use for built-in code, or for code without a file. */
export const isNativeFile = (file: string): boolean => NativeFile.test(file)

/** The last part of a path. */
export const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)

/**
 * Removes origin, query, fragment, deployment directories, versions and content hashes from a path. A `file:` URL is
 * reduced to the file name, because its directories depend on the machine.
 */
export const normalizeFile = (path: string, isLocalUrl: boolean): string => {
  let file = bounded(path)
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/\/?/.exec(file)?.[0]
  if (scheme !== undefined) {
    const rest = file.slice(scheme.length).replace(/[?#].*$/s, "")
    // `webpack://` and `app:///` are followed by a path or a package, the others by a host.
    const hasHost = /^(?:https?|wss?|ftp):/i.test(scheme)
    file = hasHost ? rest.replace(/^[^/]*/, "") : rest
    if (/^file:/i.test(scheme)) return normalizeFileName(baseName(file))
  } else if (file.includes("?")) {
    file = file.replace(/\?.*$/s, "")
  }
  file = file.replaceAll("\\", "/")
  if (isLocalUrl) return normalizeFileName(baseName(file))
  const segments = file.replace(/^[A-Za-z]:\//, "").split("/")
  const kept: Array<string> = []
  for (let i = 0; i < segments.length - 1; i++) {
    const segment = segments[i]!
    if (segment === "" || segment === "." || segment === "..") continue
    if (isDeploymentRoot(segment) || (i > 0 && /^(?:home|Users|releases)$/.test(segments[i - 1]!)))
      kept.length = 0
    else kept.push(withoutVersion(segment))
  }
  kept.push(normalizeFileName(segments.at(-1) ?? ""))
  return kept.join("/")
}

/** A module name without the compiler's numbers for anonymous and generated classes. */
export const normalizeModule = (module: string, isScript: boolean): string => {
  if (module === "" || Anonymous.test(module)) return ""
  const name = bounded(module)
  return isScript ? normalizeFile(name, false) : withoutGenerated(name)
}

/** The bare name of a JavaScript function, the same for all engines; empty if anonymous. */
export const normalizeScriptFunction = (name: string): string => {
  let text = bounded(name).trim()
  if (text === "") return ""
  text = text.replace(/ \[as [^\]]{0,64}\]$/, "").replace(/ \(index \d+\)$/, "")
  text = text.replace(/^(?:async |new |get |set |static )+/, "")
  // Modules of a bundle: `Module../src/app.js`, `Object.1234`.
  const path = text.indexOf("./")
  if (path >= 0) return normalizeFile(text.slice(path), false)
  // Firefox: `outer/inner`, `outer/<` for an anonymous function, `async*outer`.
  text = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("*")) + 1)
  text = text.slice(text.lastIndexOf(".") + 1).replace(/\$\d+$/, "")
  return text === "<" || ScriptAnonymous.test(text) ? "" : text
}

/** A function name of another language, without addresses, hashes and numbers of anonymous functions. */
export const normalizeFunction = (name: string): string => {
  const text = bounded(name).trim()
  if (text === "" || Anonymous.test(text)) return ""
  return withoutGenerated(text)
}

/** True for frames that only start threads or raise exceptions. They depend on platform and symbols. */
export const isMachinery = (module: string, name: string, isNative: boolean): boolean => {
  if (module !== "") return ManagedMachinery.test(`${module}.${name}`)
  return NativeMachinery.has(name) || RustMachinery.test(name) || (isNative && LibraryMachinery.has(name))
}

/** True for libraries that only implement exceptions and casts of C++. */
export const isRuntimeLibrary = (name: string): boolean => RuntimeLibrary.test(name)

/** True for paths of the operating system's libraries. */
export const isSystemLibrary = (path: string): boolean => SystemLibrary.test(path)

// internal

const NativeFile =
  /^(?:\[?native code\]?|\(?native\)?|<?anonymous>?|<unknown>|\[unknown\]|unknown|eval code|\[internal\]|native [\w ]{1,20}\.js|Native ?Method|Unknown Source|\?+)$/

const Anonymous =
  /^(?:[<({[]?(?:anonymous|unknown|redacted|lambda function)(?: (?:function|closure|class))?[>)}\]]?|<fn>|\?+)$/i

const ScriptAnonymous =
  /^(?:<?anonymous>?|\(anonymous(?: function)?\)|Anonymous function|[Gg]lobal code|module code|eval code|eval|<unknown>|<global>|\?+|\d+)$/

const isDeploymentRoot = (segment: string): boolean =>
  /^(?:site-packages|dist-packages|node_modules|gems)$/.test(segment) ||
  /^v?\d+(?:\.\d+){1,3}[a-z]?(?:[-+][\w.-]{1,64})?$/.test(segment) ||
  /^\d{6,}$/.test(segment) ||
  segment.endsWith("==") ||
  isContentHash(segment) ||
  // UUIDs, and random build ids.
  (/^[\w-]{16,64}$/.test(segment) && isRandom(segment))

const isContentHash = (text: string): boolean =>
  text.length >= 7 && /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text) && /\d/.test(text)

const withoutVersion = (segment: string): string =>
  /\d/.test(segment)
    ? segment.replace(/[-@]v?\d+(?:\.\d+)+(?:[-+][\w.-]{1,64})?$/, "").replace(/ \(\d+(?:\.\d+)*\) /, " ")
    : segment

const normalizeFileName = (name: string): string => {
  if (!/\d/.test(name) && !name.includes("-")) return name
  return (
    withoutVersion(name)
      .replace(/[-_]v?\d+(?:\.\d+)+(?=\.[A-Za-z])/, "")
      .replace(/(?:^|[.~_-])([0-9A-Fa-f]{6,64})(?=\.)/g, (match, part: string) =>
        isContentHash(part) || /^(?=.*\d)[0-9a-f]{6}$/.test(part) ? "" : match,
      )
      // Chunk names with eight characters of base64url.
      .replace(/-([0-9A-Za-z_-]{8})(?=\.)/, (match, part: string) =>
        /[A-Za-z]/.test(part) && (/\d/.test(part) || /[A-Z].*[A-Z].*[A-Z]/.test(part)) ? "" : match,
      )
  )
}

/** Removes parts of a function name that differ between builds. */
const withoutGenerated = (name: string): string => {
  if (!/[\d$@+:<]/.test(name)) return name
  let text = name
  if (text.includes("@anonymous")) text = text.replace(/@anonymous.*?\$[0-9a-f]+/, "@anonymous")
  if (text.startsWith("{closure:")) text = "{closure}"
  if (text.includes("<anonymous")) text = text.replace(/[.:]{0,2}<anonymous(?: closure)?>/g, "")
  if (text.includes("$")) {
    text = text
      .replace(/\$\$Lambda.*$/s, "$$$$Lambda")
      .replace(/\$\$(?:Enhancer|FastClass)[A-Za-z]*\$\$.*$/s, "")
      .replace(/\${1,3}(?:\d+|[0-9a-f]{6,16})(?![0-9A-Za-z])/g, "")
      .replace(/\$Proxy\d+/g, "$$Proxy")
  }
  if (!/\d/.test(text)) return text
  return (
    text
      // Rust hashes, compiler clones, offsets and addresses.
      .replace(/::h[0-9a-f]{16}$/, "")
      .replace(/(?:\.(?:cold|part|isra|constprop|llvm|lto_priv|\d{1,20})){1,4}$/, "")
      .replace(/\s?\+\s?(?:0x[0-9a-fA-F]+|\d+)$/, "")
      .replace(/\?A0x[0-9a-f]+/g, "`anonymous namespace'")
      .replace(/_INTERNAL[0-9a-f]{8}(?=::)/g, "_INTERNAL")
      .replace(/<lambda_[0-9a-f]+>/g, "<lambda>")
      .replace(/\b0x[0-9a-fA-F]+/g, "")
      // Objective-C blocks, Go and C# closures, Java accessors, Ruby blocks and templates, IL2CPP.
      .replace(/^__\d+(?=[-+]\[)/, "__")
      .replace(/_block_invoke(?:[_.]\d+)*/g, "_block_invoke")
      .replace(/\.func\d+(?:\.\d+)*/g, ".func")
      .replace(/(b__|d__|g__\w{1,64}\||DisplayClass|lambda_method|Accessor)\d+(?:_\d+)*/g, "$1")
      .replace(/ \(\d+ levels\)/g, "")
      .replace(/_{2,3}-?\d{6,20}_\d+$/, "")
      .replace(/_m[0-9A-F]{16,}/g, "")
  )
}

const RuntimeLibrary = /^(?:libc\+\+abi|libunwind|libgcc_s|vcruntime\d*)\b/i

/**
 * Folders that only the system installs to, and system libraries in any folder. Below `/usr/lib`, applications have
 * folders too.
 */
const SystemLibrary = new RegExp(
  [
    "^/usr/lib(?:32|64|x32|exec)?/(?:(?:system|swift|[a-z0-9_]{2,16}-linux-[a-z0-9]{2,16})/.*|[^/]*)$",
    "^/lib(?:32|64|x32)?/(?!arm|x86/|x86_64/|mips)",
    "^/System/",
    "^/system/",
    "^/vendor/",
    "^/apex/",
    "^\\[",
    "^linux-(?:gate|vdso)",
    "^[A-Za-z]:[\\\\/]Windows[\\\\/]",
    "(?:^|[\\\\/])(?:libsystem_\\w+|libdyld|libdispatch|libobjc\\.A)\\.dylib$",
    "(?:^|/)(?:dyld|dyld_sim)$",
    "(?:^|[\\\\/])(?:ntdll|kernel32|kernelbase|ucrtbased?|msvcrt|user32|win32u|combase)(?:\\.(?:dll|pdb))?$",
    "(?:^|/)(?:ld-linux[\\w.-]*|lib(?:c|m|dl|rt|pthread)(?:-\\d\\.\\d+)?\\.so(?:\\.\\d+)*)$",
  ].join("|"),
  "i",
)

const NativeMachinery: ReadonlySet<string> = new Set([
  // Thread start.
  "thread_start",
  "_pthread_start",
  "_pthread_body",
  "__pthread_start",
  "start_thread",
  "__start_thread",
  "__clone",
  "__clone3",
  "__libc_start_main",
  "__libc_start_call_main",
  "BaseThreadInitThunk",
  "RtlUserThreadStart",
  "_RtlUserThreadStart",
  "__RtlUserThreadStart",
  "__scrt_common_main_seh",
  "__tmainCRTStartup",
  "mainCRTStartup",
  "WinMainCRTStartup",
  "wWinMainCRTStartup",
  // Raising exceptions.
  "__cxa_throw",
  "__cxa_rethrow",
  "_Unwind_RaiseException",
  "_Unwind_Resume",
  "std::terminate",
  "std::__terminate",
  "demangling_terminate_handler",
  "_objc_terminate",
  "objc_exception_throw",
  "objc_exception_rethrow",
  "__exceptionPreprocess",
  "_CFThrowFormattedException",
  "+[NSException raise:format:]",
  "+[NSException raise:format:arguments:]",
  "-[NSException raise]",
  "_CxxThrowException",
  "__CxxFrameHandler3",
  "__CxxFrameHandler4",
  "KiUserExceptionDispatch",
  "KiUserExceptionDispatcher",
  "RtlRaiseException",
  "rust_panic",
  "_rust_panic",
  "rust_begin_unwind",
])

// Names that applications may use too. In a frame of a native library they belong to the system.
const LibraryMachinery: ReadonlySet<string> = new Set([
  "abort",
  "__abort",
  "raise",
  "gsignal",
  "kill",
  "__kill",
  "tgkill",
  "pthread_kill",
  "__pthread_kill",
  "clone",
  "RaiseException",
])

const RustMachinery =
  /^(?:std|core)::(?:panicking|panic|rt|sys_common::backtrace|sys::backtrace)::|__rust_begin_short_backtrace/

const ManagedMachinery =
  /^(?:java\.lang\.(?:Thread|VirtualThread)\.run|java\.util\.concurrent\.ThreadPoolExecutor(?:\$Worker\.run|\.runWorker)|kotlin\.jvm\.internal\.Intrinsics\.throw\w*|threading\._bootstrap(?:_inner)?|runtime\.(?:goexit|gopanic|panicmem|sigpanic|throw|main)|System\.Runtime\.ExceptionServices\.ExceptionDispatchInfo\.Throw|System\.Runtime\.CompilerServices\.TaskAwaiter\.(?:ThrowForNonSuccess|HandleNonSuccessAndDebuggerNotification)|System\.ThrowHelper\.\w+|System\.Threading\.Thread(?:Helper)?\.\w*Start\w*)$/
