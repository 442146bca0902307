import { compilePathOrGlob, type Glob, GlobError, globBudget } from '#contract/glob/glob.ts'
import { builderOf } from '../../deployment/builds.ts'
import { isRecord } from '../../is-record.ts'
import { invalidConfig } from './json.ts'

/** What a configuration file says of the functions that a pattern matches. */
export interface FunctionSetting {
  readonly glob: string
  readonly memoryMb?: number
  /** Seconds. */
  readonly maxDuration?: number
  /** A line of Node, such as `20.x`. */
  readonly nodeVersion?: string
  /** Patterns of files, relative to the root directory, that go with the function or stay out of it. */
  readonly includeFiles: readonly string[]
  readonly excludeFiles: readonly string[]
}

const MAX_SETTINGS = 50
const MAX_GLOB = 256
const MEMORY = { least: 128, most: 10240 }
const LONGEST_DURATION = 900

export function readFunctionSettings(value: unknown, file: string): readonly FunctionSetting[] {
  if (value === undefined || value === null) return []
  if (!isRecord(value)) throw invalidConfig(`${file}: \`functions\` should be an object.`)
  const entries = Object.entries(value)
  if (entries.length > MAX_SETTINGS)
    throw invalidConfig(`${file}: \`functions\` should have at most ${MAX_SETTINGS} patterns.`)
  return entries.map(([glob, setting]) =>
    readSetting(glob, setting, `${file}: \`functions.${glob.slice(0, 80)}\``),
  )
}

function readSetting(glob: string, value: unknown, at: string): FunctionSetting {
  if (glob === '' || glob.length > MAX_GLOB || glob.startsWith('/'))
    throw invalidConfig(
      `${at} should be a pattern of at most ${MAX_GLOB} characters without a leading slash.`,
    )
  if (!isRecord(value)) throw invalidConfig(`${at} should be an object.`)
  orRefuse(at, () => compilePathOrGlob(glob))
  const memoryMb = readNumber(value.memory, MEMORY.least, MEMORY.most, `${at}: \`memory\``)
  const maxDuration =
    value.maxDuration === 'max'
      ? LONGEST_DURATION
      : readNumber(value.maxDuration, 1, LONGEST_DURATION, `${at}: \`maxDuration\``)
  const nodeVersion = readRuntime(value.runtime, at)
  return {
    glob,
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(maxDuration === undefined ? {} : { maxDuration }),
    ...(nodeVersion === undefined ? {} : { nodeVersion }),
    includeFiles: readGlobs(value.includeFiles, `${at}: \`includeFiles\``),
    excludeFiles: readGlobs(value.excludeFiles, `${at}: \`excludeFiles\``),
  }
}

function readNumber(value: unknown, least: number, most: number, at: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw invalidConfig(`${at} should be a whole number from ${least} to ${most}.`)
  return value
}

/** A runtime is the name of a builder, as in `builds`, or a line of Node such as `nodejs20.x`. */
function readRuntime(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalidConfig(`${at}: \`runtime\` should be text.`)
  const node = /^nodejs(\d+(?:\.\d+)?(?:\.x)?)$/.exec(value)?.[1]
  if (node !== undefined) return node.endsWith('.x') ? node : `${node}.x`
  try {
    builderOf(value)
    return undefined
  } catch {
    throw invalidConfig(
      `${at}: there is no runtime ${JSON.stringify(value.slice(0, 80))}; omit it, or use one such as \`nodejs22.x\` or \`@aloft/python\`.`,
    )
  }
}

function readGlobs(value: unknown, at: string): readonly string[] {
  if (value === undefined || value === null) return []
  const globs: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (globs.length > MAX_SETTINGS) throw invalidConfig(`${at} should have at most ${MAX_SETTINGS} patterns.`)
  return globs.map((glob) => {
    if (typeof glob !== 'string' || glob === '' || glob.length > MAX_GLOB)
      throw invalidConfig(`${at} should be a pattern of at most ${MAX_GLOB} characters.`)
    if (glob.startsWith('/') || glob.split('/').includes('..'))
      throw invalidConfig(`${at} should stay inside the deployment's folder.`)
    orRefuse(at, () => compilePathOrGlob(glob))
    return glob
  })
}

function orRefuse<T>(at: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if (!(error instanceof GlobError)) throw error
    throw invalidConfig(`${at} cannot be used as a pattern: ${error.message}.`)
  }
}

const compiled = new WeakMap<readonly FunctionSetting[], readonly Glob[]>()

/** The first that matches counts, as they are written. */
export function settingFor(path: string, settings: readonly FunctionSetting[]): FunctionSetting | undefined {
  const budget = globBudget()
  const globs = compiled.get(settings) ?? settings.map(({ glob }) => compilePathOrGlob(glob, budget))
  compiled.set(settings, globs)
  return settings.find(({ glob }, i) => orRefuse(`\`${glob}\``, () => globs[i]?.matches(path)))
}
