import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '#contract/time.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox, SandboxBind } from '#core/ports/sandbox.ts'
import { openTree, removeTree, syncTree } from '../environment/remove-tree.ts'
import type { Registry } from '../environment/toolchain/registry.ts'
import {
  type NodeToolchain,
  type OnDownload,
  ToolchainError,
  type Toolchains,
} from '../environment/toolchain/toolchain.ts'

/** The CLI that knows how to build some frameworks, in a version that was tried, with everything it needs. */
export interface BuildCli {
  /** Fetches it when first asked. Rejects with a `ToolchainError`. */
  ensure(onDownload?: OnDownload): Promise<InstalledCli>
}

export interface InstalledCli {
  /** On the machine, and at the same path in a sandbox. */
  readonly folder: string
  /** The Node it runs on, whatever the project's own is. */
  readonly node: NodeToolchain
}

interface BuildCliParts {
  /** For toolchains; of the platform alone. */
  readonly folder: string
  readonly sandbox: Sandbox
  readonly toolchains: Pick<Toolchains, 'ensureNode'>
  readonly registry: () => Promise<Registry>
  readonly log: Log
}

/** The platform's own. */
export const PLATFORM_NODE = '24.x'

const HERE = join(import.meta.dirname, 'cli')
const MANIFEST = 'packages.json'
const LOCK = 'packages-lock.json'
const MB = 2 ** 20
const LIMITS = {
  memoryBytes: 2048 * MB,
  cpus: 1,
  processes: 512,
  wallMs: 15 * MINUTE,
  tmpBytes: 256 * MB,
  outputBytes: 4 * MB,
}

let temporaries = 0

export function createBuildCli(parts: BuildCliParts): BuildCli {
  const { toolchains, log } = parts
  let making: Promise<void> | undefined

  async function pathOf(): Promise<string> {
    const digest = createHash('sha256')
      .update(await readFile(join(HERE, LOCK)))
      .digest('hex')
      .slice(0, 12)
    return join(parts.folder, `build-cli-${process.platform}-${process.arch}-${digest}`)
  }

  async function download(path: string, node: NodeToolchain): Promise<void> {
    const temporary = join(parts.folder, `.tmp-cli-${process.pid}-${temporaries++}`)
    const began = performance.now()
    try {
      await removeTree(temporary)
      await mkdir(temporary, { recursive: true, mode: 0o755 })
      await copyFile(join(HERE, MANIFEST), join(temporary, 'package.json'))
      await copyFile(join(HERE, LOCK), join(temporary, 'package-lock.json'))
      await install(parts, temporary, node)
      await removeTree(join(temporary, '.cache'))
      await openTree(temporary)
      // Once it has its name, it is used for ever.
      await syncTree(temporary)
      await rename(temporary, path).catch(async (error) => {
        // Another process was as fast.
        if (!(await touched(path))) throw error
      })
    } finally {
      await removeTree(temporary)
    }
    log.info({ toolchain: 'build-cli', ms: Math.round(performance.now() - began) }, 'downloaded a toolchain')
  }

  return {
    async ensure(onDownload) {
      const node = await toolchains.ensureNode(PLATFORM_NODE)
      const folder = await pathOf()
      // It may be gone the next time: what nobody uses is removed.
      if (making === undefined && (await touched(folder))) return { folder, node }
      // Only one of those who ask at once fetches.
      making ??= download(folder, node).finally(() => {
        making = undefined
      })
      await Promise.all([making, onDownload?.()])
      return { folder, node }
    },
  }
}

/** Whether it is there; if so it counts as used. */
const touched = (path: string): Promise<boolean> => {
  const now = new Date()
  return utimes(path, now, now).then(
    () => true,
    () => false,
  )
}

/** By npm, from the lock alone, in a sandbox of its own: no project has a say in what all of them use. */
async function install(
  { sandbox, registry }: BuildCliParts,
  folder: string,
  node: NodeToolchain,
): Promise<void> {
  const { url, caFile } = await registry()
  await writeFile(join(folder, '.npmrc'), `registry=${url}\n`)
  const certificates = join(folder, 'ca.pem')
  if (caFile !== undefined) await copyFile(caFile, certificates)
  const bind = (path: string, writable: boolean): SandboxBind => ({ host: path, inside: path, writable })
  const bin = join(node.folder, 'bin')
  const npm = join(node.folder, 'lib/node_modules/npm/bin/npm-cli.js')
  const run = sandbox.spawn({
    argv: [join(bin, 'node'), npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    cwd: folder,
    env: {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: folder,
      npm_config_cache: join(folder, '.cache'),
      npm_config_update_notifier: 'false',
      ...(caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    },
    binds: [bind(node.folder, false), bind(folder, true)],
    limits: LIMITS,
    network: 'outbound',
  })
  const [exit, , said] = await Promise.all([run.exit, ended(run.stdout), ended(run.stderr)])
  if (exit.code === 0) return
  throw new ToolchainError(
    'unavailable',
    `The CLI could not be downloaded (${exit.reason}): ${said.slice(-1000)}`,
  )
}

async function ended(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text = (text + String(chunk)).slice(-10_000)
  return text
}
