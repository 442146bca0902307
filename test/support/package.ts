import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../..')
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

/** `npm pack` in a copy of this clone, so that nobody who packs or builds at the same time is in the way. */
export async function pack(): Promise<Packed> {
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
