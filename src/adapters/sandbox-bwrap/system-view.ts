import { lstat, mkdir, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What every sandbox sees of the machine, as arguments of bubblewrap. */
export interface SystemView {
  readonly args: readonly string[]
  /** The resolv.conf of runs that have a network, where there is one. */
  readonly resolvConf: string
  readonly seccomp: string
  /** An empty folder, covered anew in the mount namespace of each run. */
  readonly stage: string
  remove(): Promise<void>
}

const ROOTS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Of /etc only what programs need to start, to check certificates and to look up names. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'pki',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
]
const FILES = {
  passwd: 'user:x:1000:1000:user:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n',
  group: 'user:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n',
}

const kindOf = async (path: string) => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return 'absent'
  return stats.isSymbolicLink() ? 'link' : 'present'
}

/** Lays out the files of our own that sandboxes see; they hold no secrets, and a sandbox's user must reach them. */
export async function createSystemView(
  folder: string,
  seccomp: Buffer | undefined,
  resolvConf: string,
): Promise<SystemView> {
  await mkdir(folder, { mode: 0o755 })
  const stage = join(folder, 'stage')
  await mkdir(stage, { mode: 0o755 })
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content, { mode: 0o644 })
    return join(folder, name)
  }
  const args: string[] = ['--ro-bind', '/usr', '/usr']
  for (const root of ROOTS) {
    const kind = await kindOf(root)
    if (kind === 'link') args.push('--symlink', await readlink(root), root)
    if (kind === 'present') args.push('--ro-bind', root, root)
  }
  args.push('--perms', '0755', '--dir', '/etc', '--perms', '0755', '--dir', '/etc/ssl')
  for (const name of ETC) {
    const path = `/etc/${name}`
    if ((await kindOf(path)) !== 'absent') args.push('--ro-bind', path, path)
  }
  for (const [name, content] of Object.entries(FILES))
    args.push('--ro-bind', await write(name, content), `/etc/${name}`)
  return {
    args,
    resolvConf: await write('resolv.conf', resolvConf),
    seccomp: await write('seccomp.bpf', seccomp ?? ''),
    stage,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
