import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** What `npm pack` looks at, besides the folder that it fills. */
const PARTS = ['bin', 'deploy', 'scripts', 'src', 'CHANGELOG.md', 'LICENSE', 'README.md']
/** Of an earlier build: it is made again only where its sources have changed. */
const DASHBOARD = 'dist/dashboard'
const SETTINGS = ['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json']

export interface Packed {
  /** The archive that `npm pack` made. */
  readonly file: string
  remove(): Promise<void>
}

/** Where `npm test` puts the archive that it makes once for all files. A file that is run by itself makes its own. */
const { ALOFT_TEST_PACKAGE: shared } = process.env
/** What the making of the shared archive has said when it failed. */
export const failureOf = (file: string): string => `${file}.failed`

export const pack = (): Promise<Packed> => (shared === undefined ? packNow() : sharedPackage(shared))

async function sharedPackage(file: string): Promise<Packed> {
  while (!existsSync(file)) {
    const failure = failureOf(file)
    if (existsSync(failure)) throw new Error(`it could not be packed:\n${await readFile(failure, 'utf8')}`)
    await setTimeout(100)
  }
  return { file, remove: async () => {} }
}

export interface Unpacked {
  /** The program. */
  readonly bin: string
  remove(): Promise<void>
}

/** The package as it is once installed. What it depends on is found in this clone, above it. */
export async function unpack({ file }: Packed): Promise<Unpacked> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'aloft-unpacked-'))
  // Builds run parts of it, as another user.
  await chmod(folder, 0o755)
  await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
  return { bin: join(folder, 'bin/aloft.js'), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** `npm pack` in a copy of this clone, so that nobody who packs or builds at the same time is in the way. */
export async function packNow(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-pack-'))
  const clone = join(folder, 'clone')
  await mkdir(clone)
  for (const name of [...PARTS, ...SETTINGS])
    await cp(join(root, name), join(clone, name), { recursive: true })
  if (existsSync(join(root, DASHBOARD)))
    await cp(join(root, DASHBOARD), join(clone, DASHBOARD), { recursive: true })
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: clone, maxBuffer: 2 ** 24 })
  await rm(clone, { recursive: true })
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.tgz'))
  if (name === undefined) throw new Error('npm packed nothing')
  return { file: join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) }
}
