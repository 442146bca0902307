import { constants } from 'node:fs'
import { access, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
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

const words = async (file: string) => (await readFile(file, 'utf8')).trim().split(/\s+/)

/** The controllers that a cgroup made in this folder would have, after asking for those that are wanted. */
async function offered(folder: string, probe: string): Promise<readonly string[]> {
  for (const controller of CONTROLLERS)
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => {})
  const child = join(folder, probe)
  try {
    await mkdir(child)
    return await words(join(child, 'cgroup.controllers'))
  } catch {
    return []
  } finally {
    await rmdir(child).catch(() => {})
  }
}

async function version2(root: string, own: string, probe: string): Promise<CgroupPlaces | undefined> {
  // A service that its init system gives a subtree of its own sits in one leaf of it; the platform's limits hold there.
  const candidates = [...(own === '/' ? [] : [join(root, dirname(own)), join(root, own)]), root]
  for (const folder of candidates) {
    const controllers = await offered(folder, probe)
    const has = CONTROLLERS.filter((controller) => controllers.includes(controller))
    if (has.includes('memory') && has.includes('pids'))
      return { version: 2, folders: Object.fromEntries(has.map((controller) => [controller, folder])) }
  }
  return undefined
}

const writable = (folder: string) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

export async function findCgroupPlaces(probe: string): Promise<CgroupPlaces | undefined> {
  const mounts = readMounts(await readFile('/proc/self/mountinfo', 'utf8'))
  const unified = mounts.find(({ type }) => type === 'cgroup2')
  if (unified) {
    const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/'
    const places = await version2(unified.folder, own, probe)
    if (places) return places
  }
  const folders: Partial<Record<Controller, string>> = {}
  for (const controller of CONTROLLERS) {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller))
    if (mount && (await writable(mount.folder))) folders[controller] = mount.folder
  }
  return Object.keys(folders).length > 0 ? { version: 1, folders } : undefined
}
