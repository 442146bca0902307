import { constants } from 'node:fs'
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  statfs,
  symlink,
  utimes,
} from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { showLimit } from '#contract/amounts.ts'
import { HOUR } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import { openTree, removeTree, syncTree } from '../remove-tree.ts'
import { createPackageSource, type PackageSource, type PackageVersion } from './fetch-package.ts'
import { BUN, majorOf, NODE_PACKAGES, npmFor, packageOf } from './pinned-versions.ts'
import type { Registry } from './registry.ts'
import {
  type OnDownload,
  type PackageTool,
  type PackageToolName,
  ToolchainError,
  type Toolchains,
} from './toolchain.ts'

interface ToolchainParts {
  readonly folder: string
  readonly registry: () => Promise<Registry>
  readonly log: Log
  /** What must stay free on the disk: where less is, nothing is downloaded. */
  readonly freeBytes: number
  /** The machine, as `linux-x64`; and the Node that this process runs on. */
  readonly machine?: string
  readonly own?: { readonly version: string; readonly file: string }
  readonly firstPauseMs?: number
}

const EXACT = /^\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/
/** Projects choose versions, so their number has to be limited; one in use was asked for within the hours of a build. */
const MOST_KEPT = 40
const IN_USE_MS = 6 * HOUR
const TEMPORARY = '.tmp-'
/** Of npm, what only people read. */
const isForPeople = (path: string): boolean => /^(?:docs|man|html|changelogs)\/|\.md$/i.test(path)

const NPM_PLACE = 'lib/node_modules/npm'

let temporaries = 0

export function createToolchains(parts: ToolchainParts): Toolchains {
  const { folder, log } = parts
  const machine = parts.machine ?? `${process.platform}-${process.arch}`
  const own = parts.own ?? { version: process.version.slice(1), file: process.execPath }
  const source = withRoom(createPackageSource(parts), parts)
  const making = new Map<string, Promise<string>>()
  let foundNpm: Promise<NpmBeside | undefined> | undefined

  /** Looked for once: every start of a function on that Node asks. */
  function ownNpm(): Promise<NpmBeside | undefined> {
    foundNpm ??= npmBeside(own.file).catch(() => undefined)
    return foundNpm
  }

  /** Only one of those who ask at once fetches; a failure is not remembered. */
  async function kept(
    name: string,
    fill: (folder: string) => Promise<void>,
    onDownload: OnDownload | undefined,
  ): Promise<string> {
    const path = join(folder, name)
    if (!making.has(name) && (await exists(path))) return touched(path)
    const made = making.get(name) ?? ensure(name, fill).finally(() => making.delete(name))
    making.set(name, made)
    await Promise.all([made, onDownload?.()])
    return made
  }

  /** The folder of this name, filled by `fill` where there is none; it appears whole or not at all. */
  async function ensure(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
    const path = join(folder, name)
    const temporary = join(folder, `${TEMPORARY}${process.pid}-${temporaries++}`)
    const began = performance.now()
    try {
      await removeTree(temporary)
      await mkdir(temporary, { recursive: true, mode: 0o755 })
      await fill(temporary)
      await openTree(temporary)
      // Once it has its name, it is used for ever.
      await syncTree(temporary)
      await rename(temporary, path).catch(async (error) => {
        // Another process was as fast.
        if (!(await exists(path))) throw error
      })
    } finally {
      await removeTree(temporary)
    }
    log.info({ toolchain: name, ms: Math.round(performance.now() - began) }, 'downloaded a toolchain')
    await prune(folder, log)
    return path
  }

  async function fillNode(version: string, npm: NpmVersion | NpmBeside, into: string): Promise<void> {
    const file = join(into, 'bin', 'node')
    await mkdir(dirname(file), { mode: 0o755 })
    if (version === own.version) {
      await copyFile(own.file, file, constants.COPYFILE_FICLONE)
    } else {
      const name = nodePackage(machine).name
      const described = await source.describe(name, version)
      const place = (path: string) => (path === 'bin/node' ? file : undefined)
      await source.unpack(name, described, { place, empty: async () => {} })
      if (!(await exists(file)))
        throw new ToolchainError('unavailable', `The package ${name}@${version} does not contain Node`)
    }
    await chmod(file, 0o755)
    if ('folder' in npm) await copyNpm(npm, into)
    else await addPackage(source, { name: 'npm', version: npm.version, into, at: NPM_PLACE })
  }

  return {
    nodeLine: (asked) => nearestLine(asked, machine, own.version),
    async ensureNode(asked, onDownload) {
      const version = nodeVersion(asked, machine, own.version)
      const npm = (version === own.version && (await ownNpm())) || { version: npmFor(version) }
      const name = `node-${machine}-${version}-npm-${npm.version}`
      const fill = (into: string) => fillNode(version, npm, into)
      const path = await kept(name, fill, 'folder' in npm ? undefined : onDownload)
      return { folder: path, node: '/opt/node/bin/node', version }
    },
    ensureBun: (line) => ensureTool('bun', line === '1.x' ? BUN : line),
    ensureTool,
  }

  async function ensureTool(
    name: PackageToolName,
    version: string,
    onDownload?: OnDownload,
  ): Promise<PackageTool> {
    if (!EXACT.test(version))
      throw new ToolchainError(
        'unknown_version',
        `${JSON.stringify(version)} is not an exact version of ${name}`,
      )
    const path = await kept(
      `${name}-${machine}-${version}`,
      (into) => addPackage(source, { name: packageOf(name, version, machine), version, into, at: 'lib' }),
      onDownload,
    )
    return { name, version, folder: path }
  }
}

/** Projects choose which versions there are, and none is removed while it may be in use. */
const withRoom = (
  source: PackageSource,
  { folder, freeBytes }: Pick<ToolchainParts, 'folder' | 'freeBytes'>,
): PackageSource => ({
  ...source,
  async unpack(...given) {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < freeBytes)
      throw new ToolchainError(
        'unavailable',
        `The disk of this machine is full: ${showLimit(bavail * bsize)} are free, and ${showLimit(freeBytes)} are reserved`,
      )
    return source.unpack(...given)
  },
})

/** One that is downloaded. */
interface NpmVersion {
  readonly version: string
}

interface NpmBeside extends NpmVersion {
  readonly folder: string
  readonly bin: Readonly<Record<string, string>>
}

/**
 * The npm that lies beside a Node, as in every distribution of Node and in its images: with it, an image builds and runs
 * functions on its own Node without a registry.
 */
async function npmBeside(node: string): Promise<NpmBeside | undefined> {
  const folder = join(dirname(node), '..', NPM_PLACE)
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { name, version = '', bin = {} } = JSON.parse(text) as Partial<NpmBeside> & { readonly name?: string }
  return name === 'npm' && EXACT.test(version) ? { version, folder, bin } : undefined
}

async function copyNpm({ folder, bin }: NpmBeside, into: string): Promise<void> {
  const filter = (path: string) => ![relative(folder, path), `${relative(folder, path)}/`].some(isForPeople)
  await cp(folder, join(into, NPM_PLACE), { recursive: true, dereference: true, filter })
  await linkPrograms(bin, into, NPM_PLACE)
}

function nodePackage(machine: string) {
  const found = NODE_PACKAGES[machine]
  if (!found) throw new ToolchainError('unknown_version', `There is no Node for ${machine}`)
  return found
}

function nodeVersion(asked: string, machine: string, own: string): string {
  if (EXACT.test(asked)) return asked
  // The platform's own Node needs no download.
  if (asked === `${majorOf(own)}.x` && majorOf(own) >= 24) return own
  const version = nodePackage(machine).releases[asked]
  if (version === undefined)
    throw new ToolchainError('unknown_version', `There is no Node ${asked} for this machine (${machine})`)
  return version
}

/** Some lines were never published for some processors. */
function nearestLine(asked: string, machine: string, own: string): string {
  const known = NODE_PACKAGES[machine]
  const lines = Object.keys(known?.releases ?? {})
  if (EXACT.test(asked) || lines.includes(asked) || asked === `${majorOf(own)}.x`) return asked
  const byAge = lines.toSorted((a, b) => majorOf(a) - majorOf(b))
  return byAge.find((line) => majorOf(line) > majorOf(asked)) ?? byAge.at(-1) ?? asked
}

interface PlacedPackage {
  readonly name: string
  readonly version: string
  readonly into: string
  readonly at: string
}

/** Unpacks a package at `at` and links its programs into `bin`. */
async function addPackage(source: PackageSource, { name, version, into, at }: PlacedPackage): Promise<void> {
  const described = await source.describe(name, version)
  const target = join(into, at)
  const place = (path: string) => (isForPeople(path) ? undefined : join(target, path))
  await source.unpack(name, described, { place, empty: () => removeTree(target) })
  await linkPrograms(programsOf(name, described), into, at)
}

async function linkPrograms(
  programs: Readonly<Record<string, string>>,
  into: string,
  at: string,
): Promise<void> {
  await mkdir(join(into, 'bin'), { recursive: true, mode: 0o755 })
  for (const [program, file] of Object.entries(programs)) {
    const path = posix.normalize(file)
    if (!/^[a-z0-9-]+$/.test(program) || path.startsWith('..') || posix.isAbsolute(path)) continue
    await chmod(join(into, at, path), 0o755)
    await symlink(posix.join('..', at, path), join(into, 'bin', program))
  }
}

const programsOf = (name: string, { bin }: PackageVersion): Readonly<Record<string, string>> =>
  name.startsWith('@oven/bun-') ? { bun: 'bin/bun', bunx: 'bin/bun' } : bin

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Notes that it is used now. */
async function touched(path: string): Promise<string> {
  const now = new Date()
  await utimes(path, now, now).catch(() => {})
  return path
}

/** Removes what was not used for longest, and what died half-way. */
async function prune(folder: string, log: Log): Promise<void> {
  try {
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
    )
    const old = found.filter(({ at }) => Date.now() - at > IN_USE_MS).sort((a, b) => a.at - b.at)
    const excess = Math.max(0, found.length - MOST_KEPT)
    const kept = old.filter(({ name }) => !name.startsWith(TEMPORARY))
    const dead = old.filter(({ name }) => name.startsWith(TEMPORARY))
    for (const { name } of [...dead, ...kept.slice(0, excess)]) await removeTree(join(folder, name))
  } catch (error) {
    log.warn({ err: error }, 'toolchains could not be pruned')
  }
}
