import { lstat, mkdir, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Something that a sandbox finds at `inside`. */
export type ViewEntry =
  | { readonly is: 'bind'; readonly host: string; readonly inside: string; readonly writable: boolean }
  | { readonly is: 'link'; readonly to: string; readonly inside: string }
  | { readonly is: 'folder'; readonly inside: string }
  | { readonly is: 'memory'; readonly inside: string; readonly bytes: number; readonly mode: string }

const readOnly = (host: string, inside = host): ViewEntry => ({ is: 'bind', host, inside, writable: false })

/** What every sandbox sees of the machine. */
export interface SystemView {
  readonly entries: readonly ViewEntry[]
  /** The resolv.conf of runs that have a network, where there is one. */
  readonly resolvConf: string
  readonly seccomp: string
  /** What lays a sandbox out where bubblewrap does not. */
  readonly setup: string
  /** Empty folders, covered anew in the mount namespace of each run. */
  readonly stage: string
  readonly root: string
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

interface SystemFiles {
  readonly seccomp: Buffer | undefined
  readonly resolvConf: string
  readonly setup: string
}

/** Lays out the files of our own that sandboxes see; they hold no secrets, and a sandbox's user must reach them. */
export async function createSystemView(
  folder: string,
  { seccomp, resolvConf, setup }: SystemFiles,
): Promise<SystemView> {
  await mkdir(folder, { mode: 0o755 })
  const stage = join(folder, 'stage')
  const root = join(folder, 'root')
  for (const each of [stage, root]) await mkdir(each, { mode: 0o755 })
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content, { mode: 0o644 })
    return join(folder, name)
  }
  const entries: ViewEntry[] = [readOnly('/usr')]
  for (const path of ROOTS) {
    const kind = await kindOf(path)
    if (kind === 'link') entries.push({ is: 'link', to: await readlink(path), inside: path })
    if (kind === 'present') entries.push(readOnly(path))
  }
  for (const inside of ['/etc', '/etc/ssl']) entries.push({ is: 'folder', inside })
  for (const name of ETC) {
    const path = `/etc/${name}`
    if ((await kindOf(path)) !== 'absent') entries.push(readOnly(path))
  }
  for (const [name, content] of Object.entries(FILES))
    entries.push(readOnly(await write(name, content), `/etc/${name}`))
  return {
    entries,
    resolvConf: await write('resolv.conf', resolvConf),
    seccomp: await write('seccomp.bpf', seccomp ?? ''),
    setup: await write('setup', setup),
    stage,
    root,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
