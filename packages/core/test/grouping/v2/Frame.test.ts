import { describe, expect, it } from "vitest"
import {
  isMachinery,
  isNativeFile,
  isRuntimeLibrary,
  isSystemLibrary,
  normalizeFile,
  normalizeFunction,
  normalizeModule,
  normalizeScriptFunction,
} from "../../../src/grouping/v2/Frame.js"

describe("normalizeFile", () => {
  it.each([
    ["https://cdn.example/static/js/app.js?v=1#x", "static/js/app.js"],
    ["http://localhost:8080/app.js", "app.js"],
    ["/static/js/main.4f3a9c1b.chunk.js", "static/js/main.chunk.js"],
    ["/static/js/main-4f3a9c.js", "static/js/main.js"],
    ["/assets/index-BX7a9dQk.js", "assets/index.js"],
    ["/assets/user-settings.js", "assets/user-settings.js"],
    ["/_static/5788ef38fefa0df624cb96af56fd1435/sentry/dist/app.js", "sentry/dist/app.js"],
    ["/var/www/shop/releases/20250131103000/app/Http/Kernel.php", "app/Http/Kernel.php"],
    ["/srv/releases/blue/app/kernel.rb", "app/kernel.rb"],
    ["/srv/app/1.2.3/lib/main.py", "lib/main.py"],
    ["/home/ada/shop/app.rb", "shop/app.rb"],
    ["C:\\Users\\ada\\src\\App.cs", "src/App.cs"],
    ["C:\\build\\src\\App.cs", "build/src/App.cs"],
    ["/usr/lib/python3.11/site-packages/django/core/base.py", "django/core/base.py"],
    ["/app/node_modules/.pnpm/koa@2.1.0/node_modules/koa/lib/app.js", "koa/lib/app.js"],
    ["/go/pkg/mod/github.com/acme/conc@v0.3.0/wait.go", "go/pkg/mod/github.com/acme/conc/wait.go"],
    ["/usr/share/gems/rails-6.1.7/lib/rails.rb", "rails/lib/rails.rb"],
    ["actionpack (6.1.7.7) lib/abstract_controller/base.rb", "actionpack lib/abstract_controller/base.rb"],
    ["/rustc/9fda7c2237db910e41d6a712e9a2139b352e558b/src/libstd/local.rs", "src/libstd/local.rs"],
    ["jquery-3.6.0.min.js", "jquery.min.js"],
    ["webpack://shop/./src/app.ts", "shop/src/app.ts"],
    ["app:///main.jsbundle", "main.jsbundle"],
    ["file:///Users/ada/site/test.html?x", "test.html"],
    ["https://a.example/_next/static/Xk3aQ9-z1B7yT0mP4_wLd/pages/cart.js", "pages/cart.js"],
    ["/assets/index-BX7a-9dQ.js", "assets/index.js"],
    ["/data/app/~~k2xY7w==/com.acme-9Qz==/base.apk", "base.apk"],
    [
      "/Bundle/Application/0B7A1F6E-5A5C-4D0C-9C0B-3C1B0C5E1F11/Shop.app/main.jsbundle",
      "Shop.app/main.jsbundle",
    ],
    ["./a/../b.js", "a/b.js"],
    ["", ""],
  ])("%j is %j", (path, expected) => {
    expect(normalizeFile(path, false)).toBe(expected)
  })

  it("keeps only the file name of local paths in browsers", () => {
    expect(normalizeFile("/private/tmp/test.html", true)).toBe("test.html")
  })
})

describe("normalizeScriptFunction", () => {
  it.each([
    ["Object.aha", "aha"],
    ["Foo.prototype.testMethod", "testMethod"],
    ["Foo.testMethod", "testMethod"],
    ["testMethod", "testMethod"],
    ["new Foo", "Foo"],
    ["async Promise.all (index 0)", "all"],
    ["Object.foo [as bar]", "foo"],
    ["Object.<anonymous>", ""],
    ["<anonymous>", ""],
    ["?", ""],
    ["Anonymous function", ""],
    ["test/<", ""],
    ["outer/inner", "inner"],
    ["async*load", "load"],
    ["Module../src/app.js", "src/app.js"],
    ["Object.1234", ""],
    ["render$1", "render"],
    ["$scope.$apply", "$apply"],
    ["e", "e"],
  ])("%j is %j", (name, expected) => {
    expect(normalizeScriptFunction(name)).toBe(expected)
  })
})

describe("normalizeFunction", () => {
  it.each([
    ["<lambda>", "<lambda>"],
    ["<module>", "<module>"],
    ["Kernel::handle", "Kernel::handle"],
    ["lambda$run$0", "lambda$run"],
    ["access$1100", "access"],
    ["dynamicMethod$37d2341b", "dynamicMethod"],
    ["<Main>b__0_1", "<Main>b__"],
    ["core::ops::function::FnOnce::call_once::h0123456789abcdef", "core::ops::function::FnOnce::call_once"],
    ["nanov2_allocate.cold.1", "nanov2_allocate"],
    ["block_destroy_helper.51", "block_destroy_helper"],
    ["main.run.func1.2", "main.run.func"],
    ["__45-[Foo bar]_block_invoke_2", "__-[Foo bar]_block_invoke"],
    ["<lambda_5db80dab47756d3e72c2dcd38b80b1dd>::operator()", "<lambda>::operator()"],
    ["?A0xc3a0617d::crash", "`anonymous namespace'::crash"],
    ["foo + 123", "foo"],
    ["foo+0x1f", "foo"],
    ["block (2 levels) in index", "block in index"],
    ["_app_views_carts_show_html_erb___2385619473_47820", "_app_views_carts_show_html_erb"],
    ["{closure:/app/routes.php:12}", "{closure}"],
    ["App\\Foo@anonymous/app/x.php:3$0::run", "App\\Foo@anonymous::run"],
    ["Widget.build.<anonymous closure>", "Widget.build"],
    ["<unknown>", ""],
    ["??", ""],
    ["", ""],
  ])("%j is %j", (name, expected) => {
    expect(normalizeFunction(name)).toBe(expected)
  })
})

describe("normalizeModule", () => {
  it.each([
    ["com.acme.Foo$1", "com.acme.Foo"],
    ["com.acme.Foo$Bar", "com.acme.Foo$Bar"],
    ["com.acme.Foo$$Lambda$14/0x0000000800066840", "com.acme.Foo$$Lambda"],
    ["com.acme.Foo$$EnhancerBySpringCGLIB$$1a2b3c", "com.acme.Foo"],
    ["jdk.internal.reflect.GeneratedMethodAccessor12", "jdk.internal.reflect.GeneratedMethodAccessor"],
    ["com.sun.proxy.$Proxy123", "com.sun.proxy.$Proxy"],
    ["Acme.Shop+<Run>d__12", "Acme.Shop+<Run>d__"],
    ["(unknown)", ""],
  ])("%j is %j", (module, expected) => {
    expect(normalizeModule(module, false)).toBe(expected)
  })
})

describe("machinery frames", () => {
  it("recognizes the starts of threads and the functions that raise exceptions", () => {
    expect(isMachinery("", "_pthread_start", false)).toBe(true)
    expect(isMachinery("", "std::panicking::begin_panic", false)).toBe(true)
    expect(isMachinery("java.lang.Thread", "run", false)).toBe(true)
    expect(isMachinery("runtime", "gopanic", false)).toBe(true)
    expect(isMachinery("acme.Thread", "run", false)).toBe(false)
    expect(isMachinery("runtime", "gopher", false)).toBe(false)
  })

  it("treats ambiguous names as system functions only in a native library", () => {
    expect(isMachinery("", "abort", true)).toBe(true)
    expect(isMachinery("", "abort", false)).toBe(false)
  })

  it("recognizes placeholders for missing files", () => {
    for (const file of ["[native code]", "native code", "<anonymous>", "eval code", "Unknown Source"]) {
      expect(isNativeFile(file)).toBe(true)
    }
    expect(isNativeFile("native.js")).toBe(false)
  })

  it("recognizes system libraries", () => {
    for (const path of [
      "/usr/lib/libfoo.so",
      "/System/Library/AppKit",
      "C:\\Windows\\System32\\ntdll.dll",
      "/lib/x.so",
      "/usr/lib/system/libsystem_kernel.dylib",
      "/usr/lib/x86_64-linux-gnu/dri/radeonsi_dri.so",
      "/usr/lib64/libc.so.6",
      "libsystem_kernel.dylib",
      "dyld",
      "ntdll.pdb",
      "D:\\symbols\\KERNELBASE.dll",
      "libpthread-2.31.so",
      "ld-linux-x86-64.so.2",
    ]) {
      expect(isSystemLibrary(path)).toBe(true)
    }
    for (const path of [
      "/opt/app/libapp.so",
      "/lib/arm64/libapp.so",
      "Foundation",
      "/usr/lib/firefox/libxul.so",
      "/usr/local/lib/libshop.so",
      "/data/app/com.shop/lib/arm64/libshop.so",
      "libsystem_kernel.so",
      "libcart.so",
    ]) {
      expect(isSystemLibrary(path)).toBe(false)
    }
    expect(isRuntimeLibrary("libc++abi.dylib")).toBe(true)
    expect(isRuntimeLibrary("libc++.dylib")).toBe(false)
  })
})
