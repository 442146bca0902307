import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { type CgroupFiles, findVersion2, readMounts } from './cgroup-places.ts'

it('reads mounts of both versions, with and without optional fields', () => {
  const text = [
    '30 29 0:26 / /sys/fs/cgroup rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate',
    '34 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
    '35 31 0:30 / /a\\040folder rw - tmpfs name rw',
    '',
  ].join('\n')
  assert.deepEqual(readMounts(text), [
    { folder: '/sys/fs/cgroup', type: 'cgroup2', source: 'cgroup2', options: ['rw', 'nsdelegate'] },
    {
      folder: '/sys/fs/cgroup/cpu,cpuacct',
      type: 'cgroup',
      source: 'cgroup',
      options: ['rw', 'cpu', 'cpuacct'],
    },
    { folder: '/a folder', type: 'tmpfs', source: 'name', options: ['rw'] },
  ])
})

interface Group {
  readonly owner: number
  readonly enabled: Set<string>
  readonly pids: Set<string>
}

/** A tree of cgroups of version 2 that keeps the kernel's rules, as one user sees it. */
class Tree implements CgroupFiles {
  readonly groups = new Map<string, Group>()
  readonly #uid: number

  constructor(uid: number, groups: Readonly<Record<string, Partial<Group>>>) {
    this.#uid = uid
    for (const [path, group] of Object.entries(groups))
      this.groups.set(path, { owner: 0, enabled: new Set(), pids: new Set(), ...group })
  }

  #at(path: string): Group {
    const group = this.groups.get(path)
    if (group === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' })
    return group
  }

  #mine(path: string): Group {
    const group = this.#at(path)
    if (this.#uid !== 0 && group.owner !== this.#uid) throw Object.assign(new Error(path), { code: 'EACCES' })
    return group
  }

  #controllers(path: string): readonly string[] {
    return path === '/cg' ? ['cpu', 'memory', 'pids'] : [...this.#at(dirname(path)).enabled]
  }

  async read(file: string): Promise<string> {
    const path = dirname(file)
    if (file.endsWith('/cgroup.controllers')) return this.#controllers(path).join(' ')
    return [...this.#at(path).pids].join('\n')
  }

  async write(file: string, text: string): Promise<void> {
    const path = dirname(file)
    const group = this.#mine(path)
    if (file.endsWith('/cgroup.procs')) {
      for (const other of this.groups.values()) other.pids.delete(text)
      group.pids.add(text)
      return
    }
    const controller = text.slice(1)
    if (path !== '/cg' && group.pids.size > 0) throw Object.assign(new Error(path), { code: 'EBUSY' })
    if (!this.#controllers(path).includes(controller))
      throw Object.assign(new Error(path), { code: 'ENOENT' })
    group.enabled.add(controller)
  }

  async mkdir(path: string): Promise<void> {
    this.#mine(dirname(path))
    this.groups.set(path, { owner: this.#uid, enabled: new Set(), pids: new Set() })
  }

  async rmdir(path: string): Promise<void> {
    this.groups.delete(path)
  }

  async ownerOf(path: string): Promise<number> {
    return this.#at(path).owner
  }
}

describe('cgroups of version 2', () => {
  const all = () => new Set(['cpu', 'memory', 'pids'])
  const pids = () => new Set(['77', '78'])
  const foundIn = async (uid: number, own: string, groups: Readonly<Record<string, Partial<Group>>>) => {
    const tree = new Tree(uid, groups)
    const places = await findVersion2({ root: '/cg', own, uid }, 'probe', tree)
    return { folder: places?.folders.memory, places, tree }
  }

  it('are made beside the leaf that a service was put into', async () => {
    const groups = {
      ...{ '/cg': { enabled: all() }, '/cg/system.slice': { enabled: all() } },
      '/cg/system.slice/aloft.service': { owner: 7 },
      '/cg/system.slice/aloft.service/platform': { owner: 7, pids: pids() },
    }
    const { folder, places } = await foundIn(7, '/system.slice/aloft.service/platform', groups)
    assert.equal(folder, '/cg/system.slice/aloft.service')
    assert.deepEqual(Object.keys(places?.folders ?? {}).sort(), ['cpu', 'memory', 'pids'])
  })

  it('are made in what was delegated to an ordinary user, whose processes move down', async () => {
    const own = '/system.slice/aloft.service'
    const { folder, tree } = await foundIn(7, own, {
      ...{ '/cg': { enabled: all() }, '/cg/system.slice': { enabled: all() } },
      [join('/cg', own)]: { owner: 7, pids: pids() },
    })
    assert.equal(folder, join('/cg', own))
    assert.deepEqual([...(tree.groups.get(join('/cg', own, 'platform'))?.pids ?? [])], ['77', '78'])
  })

  it('are not had by an ordinary user in a session of a terminal, whose processes stay where they are', async () => {
    const own = '/user.slice/user-7.slice/session-2.scope'
    const { places, tree } = await foundIn(7, own, {
      ...{ '/cg': { enabled: all() }, '/cg/user.slice': { enabled: all() } },
      '/cg/user.slice/user-7.slice': { enabled: all() },
      [join('/cg', own)]: { pids: pids() },
    })
    assert.equal(places, undefined)
    assert.equal(tree.groups.get(join('/cg', own))?.pids.size, 2)
  })

  it("are had by a process that a user's own service manager started", async () => {
    const slice = '/cg/user.slice/user-7.slice/user@7.service/app.slice'
    const { folder } = await foundIn(7, `${slice.slice(3)}/run-1.scope`, {
      [slice]: { owner: 7, enabled: all() },
      [dirname(slice)]: { owner: 7, enabled: all() },
      [`${slice}/run-1.scope`]: { owner: 7, pids: pids() },
    })
    assert.equal(folder, slice)
  })

  it('are made by root of a container in its own root, and by nobody where that is read-only', async () => {
    const { folder } = await foundIn(0, '/', { '/cg': { enabled: all(), pids: pids() } })
    assert.equal(folder, '/cg')
    const { places } = await foundIn(7, '/', { '/cg': { enabled: all(), pids: pids() } })
    assert.equal(places, undefined)
  })
})
