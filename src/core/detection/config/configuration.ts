import { BuildFailure } from '../../build/build-failure.ts'
import type { CronSpec } from '../../cron/cron.ts'
import { readCrons } from '../../cron/read-crons.ts'
import { builderOf } from '../../deployment/builds.ts'
import type { BuildSpec } from '../../deployment/deployment.ts'
import { isRecord } from '../../is-record.ts'
import type { ImageConfig } from '../../output/image-config.ts'
import type { Route } from '../../routing/route.ts'
import { BUN_LINE } from '../program-runtime.ts'
import type { SourceTree } from '../source-tree.ts'
import { type FunctionSetting, readFunctionSettings } from './function-settings.ts'
import { readImages } from './image-settings.ts'
import { invalidConfig, parseJson } from './json.ts'
import { type IgnoredKey, ignoredKeys } from './known-keys.ts'
import { readRegionSettings } from './region-settings.ts'
import { readConfiguredRoutes } from './route-rules.ts'

/** Of several, the first counts. */
export const CONFIG_FILES = ['aloft.json', 'vercel.json', 'now.json'] as const

/** What a deployment's own configuration file says. Null is a word of its own: whatever is found out. */
export interface Configuration {
  readonly file: string | undefined
  readonly builds: readonly BuildSpec[]
  /** From `routes`, or from `rewrites`, `redirects`, `headers`, `cleanUrls` and `trailingSlash`. */
  readonly routes: readonly Route[] | undefined
  readonly cleanUrls: boolean
  readonly functions: readonly FunctionSetting[]
  readonly crons: readonly CronSpec[]
  /** Of Bun, where programs run on it. */
  readonly bunVersion: string | undefined
  /** Which images can be had in which sizes. */
  readonly images: ImageConfig | undefined
  /** Undefined where the file does not say; null is no framework at all. */
  readonly framework: string | null | undefined
  readonly installCommand: string | null | undefined
  readonly buildCommand: string | null | undefined
  readonly outputDirectory: string | null | undefined
  /** Where functions are to run. */
  readonly regions: readonly string[] | undefined
  readonly ignoreCommand: string | null | undefined
  /** For the programs. A value `@name` stands for a secret that only a request can bring. */
  readonly env: Readonly<Record<string, string>>
  readonly buildEnv: Readonly<Record<string, string>>
  /** What the file says that means nothing here. */
  readonly warnings: readonly string[]
}

export const NO_CONFIGURATION: Configuration = {
  file: undefined,
  builds: [],
  routes: undefined,
  cleanUrls: false,
  functions: [],
  crons: [],
  bunVersion: undefined,
  images: undefined,
  framework: undefined,
  installCommand: undefined,
  buildCommand: undefined,
  outputDirectory: undefined,
  regions: undefined,
  ignoreCommand: undefined,
  env: {},
  buildEnv: {},
  warnings: [],
}

export async function readConfiguration(tree: SourceTree): Promise<Configuration> {
  const file = CONFIG_FILES.find((name) => tree.has(name))
  if (file === undefined) return NO_CONFIGURATION
  const text = await tree.text(file)
  if (text === undefined) throw invalidConfig(`${file} is too large.`)
  const json = parseJson(text, file)
  if (!isRecord(json)) throw invalidConfig(`${file} should contain an object.`)
  return readObject(json, file)
}

interface ConfigurationAhead {
  /** The keys that do nothing. */
  readonly ignoredKeys: readonly IgnoredKey[]
  readonly regions?: readonly string[] | undefined
}

/** What has to be known of a configuration file before it is read in full; what is wrong with it is told later. */
export async function readConfigurationAhead(tree: SourceTree): Promise<ConfigurationAhead> {
  const file = CONFIG_FILES.find((name) => tree.has(name))
  const text = file === undefined ? undefined : await tree.text(file)
  if (file === undefined || text === undefined) return { ignoredKeys: [] }
  try {
    const json = parseJson(text, file)
    if (!isRecord(json)) return { ignoredKeys: [] }
    return {
      ignoredKeys: ignoredKeys(json, file),
      regions: readRegionSettings(json.regions, file).regions,
    }
  } catch (error) {
    if (error instanceof BuildFailure) return { ignoredKeys: [] }
    throw error
  }
}

const failConfig = (message: string): never => {
  throw invalidConfig(message)
}

async function readObject(json: Readonly<Record<string, unknown>>, file: string): Promise<Configuration> {
  const setting = (key: string): string | null | undefined => {
    const value = json[key]
    if (value === undefined || value === null) return value
    if (typeof value !== 'string') throw invalidConfig(`${file}: \`${key}\` should be text or null.`)
    if (value.length > MAX_SETTING)
      throw invalidConfig(`${file}: \`${key}\` should be at most ${MAX_SETTING} characters long.`)
    return value
  }
  const build = json.build
  const { regions, warnings } = readRegionSettings(json.regions, file)
  if (build !== undefined && !isRecord(build)) throw invalidConfig(`${file}: \`build\` should be an object.`)
  return {
    file,
    builds: readSpecs(json.builds, file),
    routes: await readConfiguredRoutes(json, file),
    cleanUrls: json.cleanUrls === true,
    functions: readFunctionSettings(json.functions, file),
    crons: readCrons(json.crons, file, failConfig),
    bunVersion: readBunVersion(json.bunVersion, file),
    images: readImages(json.images, file),
    framework: setting('framework'),
    installCommand: setting('installCommand'),
    buildCommand: setting('buildCommand'),
    outputDirectory: setting('outputDirectory'),
    regions,
    ignoreCommand: setting('ignoreCommand'),
    env: readVariables(json.env, `${file}: \`env\``),
    buildEnv: readVariables(build?.env, `${file}: \`build.env\``),
    warnings: [...ignoredKeys(json, file).map(({ message }) => `Warning: ${message}`), ...warnings],
  }
}

/** There is one line of it, so that whatever is in that line means it. */
function readBunVersion(value: unknown, file: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && /^1(?:\.(?:x|\d{1,3}(?:\.(?:x|\d{1,3}))?))?$/.test(value)) return BUN_LINE
  throw invalidConfig(`${file}: \`bunVersion\` should be "${BUN_LINE}".`)
}

const MAX_SETTING = 1024
const MAX_BUILDS = 128
const MAX_VARIABLES = 100
const MAX_VALUE = 65536

function readSpecs(value: unknown, file: string): BuildSpec[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalidConfig(`${file}: \`builds\` should be a list.`)
  if (value.length > MAX_BUILDS)
    throw invalidConfig(`${file}: \`builds\` should have at most ${MAX_BUILDS} items.`)
  return value.map((item: unknown, i) => {
    const at = `${file}: \`builds[${i}]\``
    if (!isRecord(item)) throw invalidConfig(`${at} should be an object.`)
    const { src = '**', use, config = {} } = item
    if (typeof src !== 'string' || src === '') throw invalidConfig(`${at}: \`src\` should be text.`)
    if (typeof use !== 'string') throw invalidConfig(`${at}: \`use\` should be text.`)
    if (!isRecord(config)) throw invalidConfig(`${at}: \`config\` should be an object.`)
    try {
      builderOf(use)
    } catch (error) {
      throw invalidConfig(`${at}: ${error instanceof Error ? error.message : 'there is no such builder.'}`)
    }
    return { src, use, config }
  })
}

function readVariables(value: unknown, at: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  // An early form was a list of names whose values the client filled in.
  if (Array.isArray(value)) return {}
  if (!isRecord(value)) throw invalidConfig(`${at} should be an object.`)
  const entries = Object.entries(value)
  if (entries.length > MAX_VARIABLES)
    throw invalidConfig(`${at} should have at most ${MAX_VARIABLES} entries.`)
  return Object.fromEntries(
    entries.map(([key, item]) => {
      const text = typeof item === 'number' || typeof item === 'boolean' ? String(item) : item
      if (!/^[A-Za-z_]\w{0,255}$/.test(key))
        throw invalidConfig(`${at} has a name with characters other than letters, digits and \`_\`.`)
      if (typeof text !== 'string' || text.length > MAX_VALUE || text.includes('\0'))
        throw invalidConfig(`${at}: the value of ${key} should be text.`)
      return [key, text]
    }),
  )
}

/** What of the file's variables can be used as it is. `given` are the names for which the request has a value. */
export function plainVariables(
  variables: Readonly<Record<string, string>>,
  given: readonly string[],
): Record<string, string> {
  const known = new Set(given)
  const unmet = Object.keys(variables).find((key) => variables[key]?.startsWith('@') && !known.has(key))
  if (unmet !== undefined)
    throw new BuildFailure(
      'invalid_config',
      `The variable ${unmet} references a secret. A configuration file cannot do that: set the variable in the request or in the project.`,
    )
  return Object.fromEntries(
    Object.entries(variables).filter(([key, value]) => !known.has(key) && !value.startsWith('@')),
  )
}
