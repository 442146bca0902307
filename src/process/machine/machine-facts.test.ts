import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviseSandbox } from '#core/operator/sandbox-advice.ts'
import { readMachineFacts } from './machine-facts.ts'
import { sandboxAdviceText } from './sandbox-advice-text.ts'

const UBUNTU = {
  '/etc/os-release': 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n',
  '/proc/sys/kernel/unprivileged_userns_clone': '1\n',
  '/proc/sys/user/max_user_namespaces': '63000\n',
  '/sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
} as const

const machine = (files: Readonly<Record<string, string>>) =>
  readMachineFacts({
    ...{ platform: 'linux', isRoot: false },
    read: async (file) => files[file],
    has: (file) => file in files,
  })

test('a machine is known by its files', async () => {
  assert.deepEqual(await machine(UBUNTU), {
    ...{ platform: 'linux', isRoot: false, inContainer: false, cgroups: 2 },
    distributions: ['ubuntu', 'debian'],
    userNamespaces: { apparmorRestricts: true, unprivileged: true, most: 63_000 },
  })
  const bare = await machine({ '/.dockerenv': '', '/sys/fs/cgroup/memory': '' })
  assert.deepEqual([bare.inContainer, bare.cgroups, bare.userNamespaces], [true, 1, {}])
})

test('the first words say what is missing, what that means, and the command', async () => {
  const advice = adviseSandbox(
    {
      ...{ way: 'none', network: 'machine', missing: [] },
      limits: { memory: 'none', cpu: 'none', processes: 'none', systemCalls: false },
      notTaken: [{ what: 'bubblewrap', why: 'ended with 1', lacking: [] }],
    },
    await machine(UBUNTU),
  )
  assert.ok(advice)
  assert.equal(
    sandboxAdviceText(advice),
    `
There is no sandbox: AppArmor does not allow ordinary users to create user namespaces, as on Ubuntu since 23.10 (kernel.apparmor_restrict_unprivileged_userns=1).
Builds and functions run with your permissions: they can read your files and reach everything this machine can reach. Deploy only code that you trust.
To fix this, run the following and start again:

    echo kernel.apparmor_restrict_unprivileged_userns=0 | sudo tee /etc/sysctl.d/60-aloft.conf && sudo sysctl --system

`,
  )
})
