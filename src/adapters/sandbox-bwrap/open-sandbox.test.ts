import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { SandboxReport } from '#core/ports/sandbox.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { rootMissing, runOf, scratch } from '#test/support/sandbox/sandbox.ts'
import { openSandbox } from './open-sandbox.ts'
import { seccompFilter } from './seccomp/seccomp.ts'

const HELPER = new URL('../../../test/support/sandbox/sandbox-process.ts', import.meta.url).pathname

/** What a platform says that is started behind these programs. */
async function platform(
  before: readonly string[],
  order: object,
): Promise<readonly Record<string, unknown>[]> {
  const [program = '', ...args] = [...before, process.execPath, HELPER, JSON.stringify(order)]
  const { stdout } = await promisify(execFile)(program, args, { timeout: 60_000 })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** On a machine where these are not installed. */
const without = (...files: readonly string[]) => [
  ...['unshare', '--mount', 'sh', '-c'],
  `${files.map((file) => `mount --bind /dev/null ${file}`).join(' && ')} && exec "$@"`,
  'sh',
]
const ORDINARY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
const NOTHING = without('/usr/bin/bwrap', '/usr/bin/setpriv')

it('warns where the operator switched it off', async () => {
  const log = createRecordingLog()
  const sandbox = await openSandbox({ mode: 'off', log })
  assert.equal(sandbox.kind, 'none')
  assert.equal(log.entries[0]?.level, 'warn')
  await sandbox.close()
})

it('refuses to open where one is required and the machine has none', { skip: rootMissing }, async () => {
  const [said] = await platform(NOTHING, { mode: 'required', runs: [] })
  assert.equal(said?.fault, 'no_sandbox')
  assert.match(String(said?.message), /required.*not installed: bwrap.*not installed: setpriv/)
})

it('goes on without where the machine has none, and says loudly what is open', {
  skip: rootMissing,
}, async () => {
  const [opened, run, warning] = await platform(NOTHING, { mode: 'auto', runs: [runOf(['true'])] })
  assert.equal(opened?.kind, 'none')
  assert.match(String(opened?.missing), /can read and write whatever/)
  assert.equal(run?.code, 0)
  assert.match(String(warning?.warned), /WITHOUT A SANDBOX/)
})

const others = () => process.cwd().startsWith('/root') && 'another user cannot reach this folder'

it('works for a platform that is not root, but for what it then lacks', {
  skip: rootMissing || others(),
}, async () => {
  const [opened, run, outbound] = await platform(ORDINARY, {
    mode: 'required',
    runs: [runOf(['sh', '-c', 'exit $(($(id -u) - 993))']), runOf(['true'], { network: 'outbound' })],
  })
  assert.equal(opened?.kind, 'bubblewrap')
  const missing = String(opened?.missing)
  assert.match(missing, /run as the user of the platform/)
  assert.doesNotMatch(missing, /network/)
  const { network, notTaken } = (opened ?? assert.fail()).report as SandboxReport
  assert.equal(network, 'gateway')
  assert.deepEqual(
    notTaken.map(({ what }) => what),
    ['fenced'],
  )
  assert.equal(run?.code, 7)
  assert.equal(outbound?.code, 0)
})

const SITUATIONS = [
  { who: 'root without nftables', before: without('/usr/sbin/nft'), way: 'bubblewrap', network: 'gateway' },
  { who: 'root without bubblewrap', before: without('/usr/bin/bwrap'), way: 'namespaces', network: 'fenced' },
  { who: 'an ordinary user with bubblewrap', before: ORDINARY, way: 'bubblewrap', network: 'gateway' },
  {
    // As a service of systemd has it with AmbientCapabilities.
    who: 'an ordinary user who may bind the ports of root',
    before: [...ORDINARY, '--inh-caps=+net_bind_service', '--ambient-caps=+net_bind_service'],
    ...{ way: 'bubblewrap', network: 'gateway' },
  },
  {
    who: 'an ordinary user without bubblewrap',
    before: [...without('/usr/bin/bwrap'), ...ORDINARY],
    ...{ way: 'namespaces', network: 'gateway' },
  },
]

for (const { who, before, way, network } of SITUATIONS)
  it(`gives runs of ${who} a sandbox and a network`, { skip: rootMissing || others() }, async () => {
    const script = 'test "$(id -u)" = 1000 && ip route get 192.0.2.1 > /dev/null && ! ip route get 10.0.0.1'
    const [opened, run] = await platform(before, {
      mode: 'required',
      runs: [runOf(['sh', '-c', script], { network: 'outbound', env: { PATH: '/usr/bin:/usr/sbin:/bin' } })],
    })
    const report = opened?.report as SandboxReport
    assert.deepEqual([report.way, report.network], [way, network])
    assert.deepEqual(
      report.notTaken.every(({ why }) => why !== ''),
      true,
    )
    if (network === 'gateway') assert.equal(run?.code, 0)
  })

it('goes on without in a container that has no privileges, and tells why of each way', {
  skip: rootMissing || others(),
}, async (t) => {
  // As an engine of containers starts them: root with few capabilities, under a filter of system calls.
  const folder = await scratch(t)
  const filter = seccompFilter(process.arch)
  if (filter === undefined) return t.skip('no filter for this machine')
  await writeFile(join(folder, 'filter'), filter)
  const capabilities = [
    'CHOWN',
    'DAC_OVERRIDE',
    'FOWNER',
    'SETGID',
    'SETUID',
    'SETPCAP',
    'NET_BIND_SERVICE',
    'KILL',
  ]
  const [opened, run] = await platform(
    [
      ...['sh', '-c', 'exec 9< "$1"; shift; exec "$@"', 'sh', join(folder, 'filter')],
      ...[
        'bwrap',
        '--dev-bind',
        '/',
        '/',
        '--unshare-pid',
        '--proc',
        '/proc',
        '--seccomp',
        '9',
        '--cap-drop',
        'ALL',
      ],
      ...capabilities.flatMap((name) => ['--cap-add', `CAP_${name}`]),
      '--',
    ],
    { mode: 'auto', runs: [runOf(['true'])] },
  )
  const report = opened?.report as SandboxReport
  assert.deepEqual([report.way, report.network], ['none', 'machine'])
  const ways = report.notTaken.map(({ what }) => what)
  assert.ok(ways.includes('bubblewrap') && ways.includes('namespaces'), JSON.stringify(report.notTaken))
  assert.equal(run?.code, 0)
})

it('runs what needs no network, and refuses what needs one, where none was made ready', {
  skip: rootMissing,
}, async () => {
  const sandbox = await openSandbox({ mode: 'required', log: createRecordingLog(), networks: false })
  try {
    const run = sandbox.spawn(runOf(['true']))
    run.stdout.resume()
    run.stderr.resume()
    assert.equal((await run.exit).code, 0)
    const online = { ...runOf(['true']), network: 'outbound' } as const
    assert.throws(() => sandbox.spawn(online), /opened for runs without one/)
  } finally {
    await sandbox.close()
  }
})
