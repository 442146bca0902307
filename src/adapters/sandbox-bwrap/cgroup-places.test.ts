import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readMounts } from './cgroup-places.ts'

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
