import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, realpathSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const PROGRAMS = [
  ...['bash', 'sh', 'env', 'cat', 'chmod', 'chown', 'id', 'ln', 'ls', 'mkdir', 'rm', 'true', 'sleep'],
  ...['bwrap', 'ip', 'mount', 'nft', 'nsenter', 'prlimit', 'setpriv', 'umount', 'unshare', 'python3'],
]
/** That no program above names, but add-ons of packages do. */
const LIBRARIES = [
  'libdl.so.2',
  'libgcc_s.so.1',
  'libpthread.so.0',
  'librt.so.1',
  'libstdc++.so.6',
  'libutil.so.1',
]
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

const where = (name: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/bin', '/sbin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => existsSync(file))

/** What of it this machine does not have, for the `skip` of tests. */
export const baseMissing: string | false = (() => {
  const lacking = [...PROGRAMS, 'docker', 'npm'].filter((name) => where(name) === undefined)
  return lacking.length > 0 && `not installed: ${lacking.join(', ')}`
})()

/**
 * An image with Node, npm and the programs of a sandbox, made of what this machine has: no registry of images is
 * asked. It fetches packages from where this machine does.
 */
export async function importBase(docker: (...args: readonly string[]) => Promise<string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-base-'))
  try {
    const root = join(folder, 'root')
    const put = (from: string, to: string) => cp(from, join(root, to), { recursive: true, dereference: true })
    for (const name of [
      'usr/bin',
      'usr/sbin',
      'usr/lib',
      'usr/lib64',
      'usr/local/bin',
      'etc',
      'run',
      'tmp',
      'proc',
      'sys',
      'dev',
      'var',
    ])
      await mkdir(join(root, name), { recursive: true })
    await chmod(join(root, 'tmp'), 0o1777)
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name))
    const programs = PROGRAMS.flatMap((name) => where(name) ?? [])
    const node = realpathSync(process.execPath)
    for (const file of programs) await put(file, `usr/bin/${file.split('/').at(-1)}`)
    await put(node, 'usr/local/bin/node')
    const modules = globSync('/usr/lib/python3.*/lib-dynload/*.so')
    for (const library of globSync(['/usr/lib/python3.*', '/usr/lib/python3/dist-packages/pip']))
      await put(library, library)
    const needed = execFileSync('ldd', [...programs, node, ...modules], { encoding: 'utf8' })
    const libraries = new Set(Array.from(needed.matchAll(/(\/\S+) \(0x/g), ([, path = '']) => path))
    for (const folder of new Set(Array.from(libraries, dirname)))
      for (const name of LIBRARIES) if (existsSync(join(folder, name))) libraries.add(join(folder, name))
    for (const path of libraries) await put(path, path.replace(/^\/lib/, '/usr/lib'))
    const npm = dirname(dirname(realpathSync(where('npm') ?? '')))
    await put(npm, 'usr/local/lib/node_modules/npm')
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
    if (existsSync(CERTIFICATES)) await put(CERTIFICATES, CERTIFICATES)
    await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
    await writeFile(join(root, 'etc/group'), 'root:x:0:\n')
    const archive = join(folder, 'base.tar')
    await run('tar', ['-C', root, '-cf', archive, '.'])
    const { stdout: registry } = await run('npm', ['config', 'get', 'registry'])
    const settings = {
      PATH: '/usr/local/bin:/usr/bin:/usr/sbin',
      HOME: '/root',
      npm_config_registry: registry.trim(),
      ...(existsSync(CERTIFICATES) ? { NODE_EXTRA_CA_CERTS: CERTIFICATES } : {}),
    }
    const changes = Object.entries(settings).flatMap(([name, value]) => ['--change', `ENV ${name}=${value}`])
    await docker('import', ...changes, archive, 'aloft-base')
    return 'aloft-base'
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
