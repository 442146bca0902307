import { constants } from 'node:fs'
import { access, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const CONTROLLERS = ['memory', 'cpu', 'pids'] as const
export type Controller = (typeof CONTROLLERS)[number]

/** Where cgroups can be made: one folder a controller with version 1, the same folder for all with version 2. */
export interface CgroupPlaces {
  readonly version: 1 | 2
  readonly folders: Readonly<Partial<Record<Controller, string>>>
}

interface Mount {
  readonly folder: string
  readonly type: string
  readonly source: string
  readonly options: readonly string[]
}

/** Spaces and the like are written as \040 there. */
const unescaped = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** The lines of /proc/self/mountinfo: `id parent dev root folder options … - type source super-options`. */
export function readMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const folder = before.split(' ')[4]
    const [type, source = '', options = ''] = after.split(' ')
    return folder && type ? [{ folder: unescaped(folder), type, source, options: options.split(',') }] : []
  })
}

/** The files of the kernel's; another tree of them in tests. */
export interface CgroupFiles {
  read(file: string): Promise<string>
  write(file: string, text: string): Promise<void>
  mkdir(folder: string): Promise<unknown>
  rmdir(folder: string): Promise<void>
  ownerOf(folder: string): Promise<number>
}

const KERNEL: CgroupFiles = {
  read: (file) => readFile(file, 'utf8'),
  write: (file, text) => writeFile(file, text),
  mkdir: (folder) => mkdir(folder),
  rmdir: (folder) => rmdir(folder),
  ownerOf: async (folder) => (await stat(folder)).uid,
}

/** Where a process puts itself and its kin, so that there is room beside them for those of runs. */
const LEAF = 'platform'

const words = (text: string) => text.trim().split(/\s+/).filter(Boolean)

/** The controllers that a cgroup made in this folder would have, after asking for those that are wanted. */
async function offered(files: CgroupFiles, folder: string, probe: string): Promise<readonly string[]> {
  for (const controller of CONTROLLERS)
    await files.write(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => {})
  const child = join(folder, probe)
  try {
    await files.mkdir(child)
    return words(await files.read(join(child, 'cgroup.controllers')))
  } catch {
    return []
  } finally {
    await files.rmdir(child).catch(() => {})
  }
}

/** A cgroup with processes in it has none below that are limited: those of one that was given to us move down. */
async function moveDown(files: CgroupFiles, folder: string): Promise<void> {
  const leaf = join(folder, LEAF)
  await files.mkdir(leaf).catch(() => {})
  for (const pid of words(await files.read(join(folder, 'cgroup.procs'))))
    await files.write(join(leaf, 'cgroup.procs'), pid)
}

interface OwnCgroup {
  /** Where version 2 is mounted. */
  readonly root: string
  /** As /proc/self/cgroup tells it. */
  readonly own: string
  readonly uid: number
}

/** Exported for tests. */
export async function findVersion2(
  { root, own, uid }: OwnCgroup,
  probe: string,
  files: CgroupFiles = KERNEL,
): Promise<CgroupPlaces | undefined> {
  const look = async (folder: string): Promise<CgroupPlaces | undefined> => {
    const controllers = await offered(files, folder, probe)
    const has = CONTROLLERS.filter((controller) => controllers.includes(controller))
    return has.includes('memory') && has.includes('pids')
      ? { version: 2, folders: Object.fromEntries(has.map((controller) => [controller, folder])) }
      : undefined
  }
  const mine = join(root, own)
  // A service that its init system gives a subtree of its own sits in one leaf of it; the platform's limits hold there.
  const candidates = [...(own === '/' ? [] : [join(root, dirname(own)), mine]), root]
  for (const folder of candidates) {
    const places = await look(folder)
    if (places) return places
  }
  // An ordinary user owns a cgroup only where it was delegated; older init systems leave the leaf to the service.
  if (own === '/' || uid === 0 || (await files.ownerOf(mine).catch(() => -1)) !== uid) return undefined
  await moveDown(files, mine).catch(() => {})
  return look(mine)
}

export const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

export async function findCgroupPlaces(probe: string): Promise<CgroupPlaces | undefined> {
  const mounts = readMounts(await readFile('/proc/self/mountinfo', 'utf8'))
  const unified = mounts.find(({ type }) => type === 'cgroup2')
  if (unified) {
    const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/'
    const places = await findVersion2({ root: unified.folder, own, uid: process.getuid?.() ?? 0 }, probe)
    if (places) return places
  }
  const folders: Partial<Record<Controller, string>> = {}
  for (const controller of CONTROLLERS) {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller))
    if (mount && (await isWritable(mount.folder))) folders[controller] = mount.folder
  }
  return Object.keys(folders).length > 0 ? { version: 1, folders } : undefined
}
