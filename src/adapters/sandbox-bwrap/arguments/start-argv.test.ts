import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeRangeBytes, rlimitArgs, startArgv } from './start-argv.ts'

const LIMITS = { memoryBytes: 2 ** 26, cpus: 1, processes: 16, wallMs: 1000, tmpBytes: 2 ** 20 }
const UNLIMITED = 'Max data size             unlimited            unlimited            bytes\n'

test('a user of its own has the processes of one run', () => {
  assert.deepEqual(rlimitArgs(LIMITS, UNLIMITED, { isOwnUser: false, reservedBytes: 0 }), [
    '--data=67108864:67108864',
    '--nproc=16:16',
  ])
})

test('the user of the platform keeps room for the platform, below what the machine allows it', () => {
  const nproc = (limits: string) => rlimitArgs(LIMITS, limits, { isOwnUser: true, reservedBytes: 0 })[1]
  assert.equal(nproc(UNLIMITED), '--nproc=4096:4096')
  assert.equal(
    nproc('Max processes             900                  1000                 processes\n'),
    '--nproc=1000:1000',
  )
})

test('what Node sets aside for machine code, and counts as data, is no memory of the program', () => {
  const maps = `00400000-02d00000 r-xp 00000000 00:00 0 /opt/node
7f8cb4000000-7f8cd4000000 rwxp 00000000 00:00 0
7f8cea800000-7f8ceb000000 rwxp 00000000 00:00 0
7f8cf0000000-7f8cf8000000 rw-p 00000000 00:00 0
`
  const reservedBytes = codeRangeBytes(maps)
  assert.equal(reservedBytes, 4 * 2 ** 29)
  assert.equal(
    rlimitArgs(LIMITS, UNLIMITED, { isOwnUser: true, reservedBytes })[0],
    '--data=2214592512:2214592512',
  )
  assert.equal(codeRangeBytes('00400000-02d00000 r-xp 00000000 00:00 0 /opt/node\n'), 0)
})

test('what is mounted for a run is a table, in which a path is one field whatever it is called', () => {
  const argv = startArgv({
    tools: { sh: 'sh', unshare: 'unshare', setpriv: 'setpriv' },
    ...{ joinFiles: [], enter: undefined, uid: 7, stage: '/run/a b/stage', ambient: false, rlimits: [] },
    binds: [
      { host: '/data/plain-1.0_x', inside: '/a', writable: false },
      { host: '/data/it\'s #1 \\ "two"\nlines\tä', inside: '/b', writable: true },
    ],
    staged: [{ is: 'memory', inside: '/tmp', bytes: 2 ** 20, mode: '1777' }],
    ...{ userns: true, maker: ['bwrap'], argv: ['true'] },
  })
  const lines = argv.find((text) => text.startsWith('memory '))?.split('\n')
  assert.deepEqual(lines, [
    'memory /run/a\\040b/stage/m0 tmpfs size=1048576,nr_inodes=272,mode=1777,nosuid,nodev 0 0',
    '/data/plain-1.0_x /run/a\\040b/stage/0 none bind 0 0',
    '/data/it\\047s\\040\\0431\\040\\134\\040\\042two\\042\\012lines\\011\\303\\244 /run/a\\040b/stage/1 none bind 0 0',
    '',
  ])
})
