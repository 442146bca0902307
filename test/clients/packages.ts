import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(tmpdir(), 'aloft-test-clients')

/** A published package, unmodified, in a folder of its own that later runs find again. */
export async function installPackage(name: string, version: string): Promise<string> {
  const kept = join(folder, `${name.replace('/', '+')}@${version}`)
  if (!existsSync(kept)) {
    const fresh = `${kept}.${process.pid}`
    await mkdir(fresh, { recursive: true })
    await writeFile(join(fresh, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', `${name}@${version}`], fresh)
    await rename(fresh, kept).catch(() => rm(fresh, { recursive: true, force: true }))
  }
  return join(kept, 'node_modules', ...name.split('/'))
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
