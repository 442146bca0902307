import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NotTaken, SandboxReport } from '../ports/sandbox.ts'
import { adviseSandbox, type MachineFacts, sandboxWords } from './sandbox-advice.ts'
import { checksOf, type Status } from './status.ts'

const UBUNTU: MachineFacts = {
  ...{ platform: 'linux', distributions: ['ubuntu', 'debian'], isRoot: false, inContainer: false },
  ...{ userNamespaces: { most: 1000 }, cgroups: 2 },
}

const report = (change: Partial<SandboxReport>): SandboxReport => ({
  ...{ way: 'none', network: 'machine', missing: [], notTaken: [] },
  limits: { memory: 'none', cpu: 'none', processes: 'none', systemCalls: false },
  ...change,
})

const statusWith = (sandbox: Status['sandbox']): Status => ({
  ...{ version: '1', node: '24', time: 1, startedAt: 1, origin: 'iad1', baseUrl: 'http://localhost' },
  ...{ domain: 'localhost', addresses: [], nameservers: [], ports: { http: 1, tls: 0, dns: 0 } },
  database: { kind: 'sqlite', bytes: 1, schema: '1' },
  ...{
    blobs: { bytes: 1, damaged: 0, toMove: 0 },
    disk: { free: 1, total: 2 },
    memory: { free: 1, total: 2 },
    processes: [],
  },
  logs: { bytes: 0, recording: true, damaged: [] },
  ...{
    certificates: { authority: 'local', expiring: 0 },
    mail: 'outbox',
    exposed: [],
    runtime: 'process',
    sandbox,
  },
  programs: { git: '2.47.3', ssh: true },
  queue: { queued: 0, running: 0, failed: 0 },
  lateJobs: [],
})

const lacking = (what: NotTaken['what'], ...names: string[]): NotTaken => ({
  ...{ what, why: `not installed: ${names.join(', ')}`, lacking: names },
})
const refused: NotTaken = { what: 'bubblewrap', why: 'a first run in the sandbox ended with 1', lacking: [] }
const without = (...notTaken: NotTaken[]) => report({ notTaken })

test('what is not installed is got by the command of the distribution', () => {
  const told = adviseSandbox(without(lacking('bubblewrap', 'bwrap')), UBUNTU)
  assert.equal(told?.problem, 'There is no sandbox: bwrap is not installed.')
  assert.match(told?.meaning ?? '', /run with your permissions/)
  assert.equal(told?.command, 'sudo apt install bubblewrap')
  const commands = Object.entries({
    fedora: 'dnf install bubblewrap util-linux',
    arch: 'pacman -S bubblewrap util-linux',
    alpine: 'apk add bubblewrap util-linux',
    suse: 'zypper install bubblewrap util-linux',
    other: undefined,
  })
  for (const [id, command] of commands)
    assert.equal(
      adviseSandbox(without(lacking('bubblewrap', 'bwrap', 'setpriv', 'unshare')), {
        ...{ ...UBUNTU, distributions: [id], isRoot: true },
      })?.command,
      command,
    )
})

test('what the kernel forbids ordinary users is told with the setting that allows it', () => {
  for (const [userNamespaces, setting] of [
    [{ apparmorRestricts: true, most: 1000 }, 'kernel.apparmor_restrict_unprivileged_userns=0'],
    [{ unprivileged: false }, 'kernel.unprivileged_userns_clone=1'],
    [{ most: 0 }, 'user.max_user_namespaces=15000'],
  ] as const) {
    const { problem, command } = adviseSandbox(without(refused), { ...UBUNTU, userNamespaces }) ?? {}
    assert.ok(problem?.includes(setting.split('=')[0] as string))
    assert.equal(command, `echo ${setting} | sudo tee /etc/sysctl.d/60-aloft.conf && sudo sysctl --system`)
  }
})

test('where no command helps there are words', () => {
  const mac = adviseSandbox(without(refused), { ...UBUNTU, platform: 'darwin', distributions: [] })
  assert.equal(mac?.problem, 'There is no sandbox on macOS: it needs Linux.')
  assert.equal(mac?.command, undefined)
  assert.match(
    adviseSandbox(without(refused), { ...UBUNTU, inContainer: true })?.hint ?? '',
    /--security-opt/,
  )
  assert.match(adviseSandbox(without(refused), UBUNTU)?.problem ?? '', /ended with 1/)
})

test('a sandbox without a network is not complete; one whose network is another kind is', () => {
  const whole = { way: 'bubblewrap', network: 'gateway', notTaken: [lacking('fenced', 'nft')] } as const
  assert.equal(adviseSandbox(report(whole), UBUNTU), undefined)
  const told = adviseSandbox(
    report({ ...whole, network: 'refused', notTaken: [...whole.notTaken, lacking('gateway', 'ip')] }),
    UBUNTU,
  )
  assert.match(told?.meaning ?? '', /install packages/)
  assert.equal(told?.command, 'sudo apt install iproute2')
})

test('the check of the sandbox says the same', () => {
  const advice = adviseSandbox(without(lacking('bubblewrap', 'bwrap')), UBUNTU) ?? null
  const sandbox = { mode: 'auto', kind: 'none', missing: [], inForce: [], advice } as const
  const check = (change: object) =>
    checksOf(statusWith({ ...sandbox, ...change })).find(({ name }) => name === 'sandbox')
  assert.deepEqual(check({}), {
    ...{ name: 'sandbox', ok: false, message: `${advice?.problem} ${advice?.meaning}` },
    hint: 'Run this, then restart the server: sudo apt install bubblewrap',
  })
  const inForce = [['network', 'through the platform']]
  assert.equal(
    check({ kind: 'bubblewrap', advice: null, inForce })?.message,
    'bubblewrap (network: through the platform)',
  )
})

test('missing programs of git are told, with what does not work without them', () => {
  const status = statusWith({ mode: 'off', kind: null, missing: [], inForce: [], advice: null })
  const check = (programs: Status['programs']) =>
    checksOf({ ...status, programs }).find(({ name }) => name === 'git')
  assert.deepEqual(check({ git: '2.47.3', ssh: true }), {
    ...{ name: 'git', ok: true, message: 'git 2.47.3, with ssh' },
  })
  const none = check({ git: null, ssh: false })
  assert.equal(none?.warning, true)
  assert.match(none?.message ?? '', /git is not installed, so pushes/)
  assert.match(none?.hint ?? '', /apt install git/)
  assert.match(check({ git: '2.47.3', ssh: false })?.message ?? '', /repositories over SSH can’t be read/)
})

test('what is in force is said', () => {
  const limits = { memory: 'run', cpu: 'none', processes: 'user', systemCalls: true } as const
  assert.deepEqual(sandboxWords({ network: 'gateway', limits }, 1), [
    ['network', 'through the platform'],
    ['memory', 'of a run'],
    ['CPU', 'not limited'],
    ['processes', 'of all runs together'],
    ['system calls', 'filtered'],
    ['cgroups', 'version 1'],
  ])
})
