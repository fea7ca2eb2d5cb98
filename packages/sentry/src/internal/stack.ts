/**
 * Exceptions, threads and their frames.
 */
import type { ExceptionValue, Frame, Mechanism, Thread } from "@errata/core/ports"
import type { Bounds } from "./Bounds.js"
import { isRecord, type UnknownRecord } from "./json.js"
import { booleanOf, type Draft, integerOf, recordsOf } from "./shapes.js"

export interface Stacks {
  readonly exceptions: ReadonlyArray<ExceptionValue>
  readonly threads: ReadonlyArray<Thread>
}

export const readStacks = (event: UnknownRecord, bounds: Bounds): Stacks => {
  const { limits } = bounds
  const exceptions = bounds.ends(
    recordsOf(event.exception ?? event["sentry.interfaces.Exception"]),
    limits.maxExceptions,
    "exceptions",
  )
  const threads = keptThreads(recordsOf(event.threads ?? event["sentry.interfaces.Threads"]), bounds)
  const exceptionFrames = exceptions.map((exception) => framesOf(exception.stacktrace))
  const threadFrames = threads.map((thread) => framesOf(thread.stacktrace))

  // Old clients send the stack beside the exception. For a message, it is the stack of the current thread.
  const loose = framesOf(event.stacktrace ?? event["sentry.interfaces.Stacktrace"])
  const last = exceptionFrames.length - 1
  const looseThread = loose.length > 0 && last === -1 && threads.length === 0
  if (loose.length > 0 && last >= 0 && exceptionFrames[last]!.length === 0) exceptionFrames[last] = loose
  if (looseThread) threadFrames.push(loose)

  const exceptionCap = fairCap(exceptionFrames, limits.maxFrames, limits.maxFramesPerStack)
  const used = exceptionFrames.reduce((sum, frames) => sum + Math.min(frames.length, exceptionCap), 0)
  const threadCap = fairCap(threadFrames, limits.maxFrames - used, limits.maxFramesPerStack)
  const readFrames = (frames: ReadonlyArray<UnknownRecord>, cap: number) =>
    bounds.ends(frames, cap, "frames").map((frame) => readFrame(frame, bounds))

  const outThreads = threads.map((thread, i) =>
    readThread(thread, readFrames(threadFrames[i]!, threadCap), bounds),
  )
  return {
    exceptions: exceptions.map((exception, i) =>
      readException(exception, readFrames(exceptionFrames[i]!, exceptionCap), bounds),
    ),
    threads: looseThread ? [{ current: true, frames: readFrames(loose, threadCap) }] : outThreads,
  }
}

// internal

const none: ReadonlyArray<UnknownRecord> = []

const framesOf = (stacktrace: unknown): ReadonlyArray<UnknownRecord> => {
  if (stacktrace === undefined || stacktrace === null) return none
  const frames = isRecord(stacktrace) ? stacktrace.frames : stacktrace
  return Array.isArray(frames) ? recordsOf(frames) : none
}

// Prefers the crashed thread and the current one. The rest keep their order.
const keptThreads = (threads: ReadonlyArray<UnknownRecord>, bounds: Bounds): ReadonlyArray<UnknownRecord> => {
  const max = bounds.limits.maxThreads
  if (threads.length <= max) return threads
  const first = threads.filter((thread) => thread.crashed === true)
  first.push(...threads.filter((thread) => thread.crashed !== true && thread.current === true).slice(0, max))
  const rest = threads.filter((thread) => thread.crashed !== true && thread.current !== true)
  return bounds.first(first.concat(rest), max, "threads")
}

// The longest that each stack may be so that all of them fit the budget: short ones leave their share to long ones.
const fairCap = (
  stacks: ReadonlyArray<ReadonlyArray<UnknownRecord>>,
  budget: number,
  maxPerStack: number,
): number => {
  let left = budget
  const lengths = stacks.map((frames) => Math.min(frames.length, maxPerStack)).sort((a, b) => a - b)
  for (let i = 0; i < lengths.length; i++) {
    const share = Math.floor(left / (lengths.length - i))
    if (lengths[i]! > share) return share
    left -= lengths[i]!
  }
  return maxPerStack
}

const readException = (
  value: UnknownRecord,
  frames: ReadonlyArray<Frame>,
  bounds: Bounds,
): ExceptionValue => {
  const out: Draft<ExceptionValue> = { frames }
  if (isGiven(value.type)) out.type = bounds.short(value.type, "exception type")
  if (isGiven(value.value)) out.value = bounds.short(value.value, "exception value")
  if (isGiven(value.module)) out.module = bounds.short(value.module, "exception module")
  if (isGiven(value.thread_id)) out.thread_id = bounds.short(value.thread_id, "exception thread_id")
  if (isRecord(value.mechanism)) out.mechanism = readMechanism(value.mechanism, bounds)
  return out
}

const readMechanism = (value: UnknownRecord, bounds: Bounds): Mechanism => {
  const out: Draft<Mechanism> = {}
  if (isGiven(value.type)) out.type = bounds.short(value.type, "mechanism type")
  const handled = booleanOf(value.handled)
  if (handled !== undefined) out.handled = handled
  if (isRecord(value.data)) out.data = bounds.object(value.data, 6, "mechanism data")
  if (isRecord(value.meta)) out.meta = bounds.object(value.meta, 6, "mechanism meta")
  if (isGiven(value.description)) out.description = bounds.long(value.description, "mechanism description")
  if (isGiven(value.help_link)) out.help_link = bounds.short(value.help_link, "mechanism help_link")
  const synthetic = booleanOf(value.synthetic)
  if (synthetic !== undefined) out.synthetic = synthetic
  const id = integerOf(value.exception_id)
  if (id !== undefined) out.exception_id = id
  const parent = integerOf(value.parent_id)
  if (parent !== undefined) out.parent_id = parent
  const isGroup = booleanOf(value.is_exception_group)
  if (isGroup !== undefined) out.is_exception_group = isGroup
  if (isGiven(value.source)) out.source = bounds.short(value.source, "mechanism source")
  return out
}

const readThread = (value: UnknownRecord, frames: ReadonlyArray<Frame>, bounds: Bounds): Thread => {
  const out: Draft<Thread> = { frames }
  if (isGiven(value.id)) out.id = bounds.short(value.id, "thread id")
  if (isGiven(value.name)) out.name = bounds.short(value.name, "thread name")
  const crashed = booleanOf(value.crashed)
  if (crashed !== undefined) out.crashed = crashed
  const current = booleanOf(value.current)
  if (current !== undefined) out.current = current
  const main = booleanOf(value.main)
  if (main !== undefined) out.main = main
  if (isGiven(value.state)) out.state = bounds.short(value.state, "thread state")
  return out
}

// Up to a thousand times per event.
const readFrame = (value: UnknownRecord, bounds: Bounds): Frame => {
  const out: Draft<Frame> = {}
  const { filename, abs_path, module, lineno, colno, in_app, pre_context, context_line, post_context, vars } =
    value
  if (isGiven(filename)) out.filename = bounds.short(filename, "frame filename")
  if (isGiven(abs_path)) out.abs_path = bounds.short(abs_path, "frame abs_path")
  if (isGiven(value.function)) out.function = bounds.short(value.function, "frame function")
  if (isGiven(module)) out.module = bounds.short(module, "frame module")
  if (isGiven(value.package)) out.package = bounds.short(value.package, "frame package")
  const line = integerOf(lineno)
  if (line !== undefined) out.lineno = line
  const column = integerOf(colno)
  if (column !== undefined) out.colno = column
  const inApp = booleanOf(in_app)
  if (inApp !== undefined) out.in_app = inApp
  if (isGiven(value.instruction_addr))
    out.instruction_addr = bounds.short(value.instruction_addr, "frame address")
  if (isGiven(value.symbol_addr)) out.symbol_addr = bounds.short(value.symbol_addr, "frame address")
  if (Array.isArray(pre_context)) out.pre_context = readLines(pre_context, bounds)
  if (isGiven(context_line)) out.context_line = bounds.long(context_line, "frame source")
  if (Array.isArray(post_context)) out.post_context = readLines(post_context, bounds)
  if (isGiven(vars)) {
    out.vars = Array.isArray(vars)
      ? bounds.object({ ...vars }, 8, "frame vars")
      : bounds.object(vars, 8, "frame vars")
  }
  return out
}

const readLines = (lines: ReadonlyArray<unknown>, bounds: Bounds): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let i = 0; i < lines.length; i++) out.push(bounds.long(lines[i], "frame source"))
  return out
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null
