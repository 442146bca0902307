import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What is fetched once serves later runs. */
export const kept = join(tmpdir(), 'aloft-test-clients')

/** Versions of what a package depends on, in the place of those that it names and that npm does not find. */
export type Instead = Readonly<Record<string, string>>

/** A published package, unmodified, in a folder of its own that later runs find again. */
export async function installPackage(name: string, version: string, instead: Instead = {}): Promise<string> {
  const folder = join(kept, `${name.replace('/', '+')}@${version}`)
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`
    await mkdir(fresh, { recursive: true })
    await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, overrides: instead }))
    await run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', `${name}@${version}`], fresh)
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  return join(folder, 'node_modules', ...name.split('/'))
}

/** A version of an action: what GitHub runs of it is in its repository. */
export async function installAction(repository: string, version: string): Promise<string> {
  const folder = join(kept, `${repository.replace('/', '+')}@${version}`)
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`
    const from = `https://github.com/${repository}.git`
    await run('git', ['clone', '--quiet', '--depth', '1', '--branch', `v${version}`, from, fresh], tmpdir())
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  return folder
}

/** Another Node.js than ours, for the packages of its time. */
export const installNode = async (version: string): Promise<string> =>
  join(await installPackage(`node-${process.platform}-${process.arch}`, version), 'bin', 'node')

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  const printed = child.stderr.setEncoding('utf8').toArray()
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${(await printed).join('')}`)
}
