import assert from 'node:assert/strict'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { inviteMachine, joinInstallation, listMachines, removeMachine } from '#contract/api/machine.ts'
import { joinId, newJoinToken, sealJoin } from '#contract/join-seal.ts'
import { MINUTE } from '#contract/time.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const GB = 2 ** 30

test('a machine is removed once that is agreed to', async () => {
  await using machine = await startMachine(
    answers(removeMachine, ({ params }) => ({ name: params.name ?? '' })),
  )
  const refused = await machine.run(['operator', 'remove-machine', 'm1'], env)
  assert.deepEqual([refused.code, machine.api.requests.length], [2, 0])
  assert.match(refused.stderr, /--yes/)
  const removed = await machine.run(['operator', 'remove-machine', 'm1', '--yes'], env)
  assert.deepEqual([removed.code, removed.stdout], [0, 'm1 is no longer part of the installation.\n'])
})

test('an invitation is one line to run on the new machine, and nothing else is printed', async () => {
  const expiresAt = Date.now() + 15 * MINUTE
  await using machine = await startMachine(answers(inviteMachine, () => ({ token: 'kT3bVw', expiresAt })))
  const { code, stdout, stderr } = await machine.run(['operator', 'join'], env)
  assert.equal(code, 0)
  assert.match(stdout, /^aloft join https?:\/\/\S+ kT3bVw\n$/)
  assert.match(stderr, /on one machine\. The invitation expires in 1[45]m/)
})

test('a machine that joins gets what machines share into a file of its own, and sends no more than a hash', async () => {
  const token = newJoinToken()
  const shared = { ALOFT_DATABASE_URL: 'postgres://10.0.0.1/aloft', ALOFT_MASTER_KEY: 'k'.repeat(43) }
  const asked: unknown[] = []
  await using machine = await startMachine(
    answers(joinInstallation, ({ body }) => {
      asked.push(body)
      return { sealed: sealJoin(shared, token) }
    }),
  )
  const line = ['join', machine.api.baseUrl, token, '--address', '10.0.0.2:3500', '--role', 'work']
  const { code, stdout, stderr } = await machine.run(line)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Start this machine with: aloft server --role work/)
  assert.deepEqual(asked, [{ id: joinId(token) }])
  const file = join(machine.home, 'aloft.config.json')
  const written = JSON.parse(await readFile(file, 'utf8'))
  assert.deepEqual(written, { ...shared, ALOFT_CLUSTER_ADDRESS: '10.0.0.2:3500' })
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  // The invitation is not used up where there is a configuration already.
  const again = await machine.run(line)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /aloft\.config\.json already exists here/)
  assert.equal(asked.length, 1)
  await rm(file)
  const other = await machine.run(['join', machine.api.baseUrl, newJoinToken()])
  assert.notEqual(other.code, 0, 'what it got was for another token')
  await assert.rejects(stat(file), { code: 'ENOENT' })
})

test('machines are listed with role, status, version, region, load and disk', async () => {
  const one = {
    ...{ name: 'one', role: 'serve' as const, version: '1.2.0', origin: 'iad1', address: null, load: 0.25 },
    ...{ memory: { free: 2 * GB, total: 4 * GB }, disk: { free: 30 * GB, total: 40 * GB } },
    ...{ publicAddresses: [], startedAt: 1, heardAgo: 400, isAlive: true, isDraining: false },
  }
  const two = { ...one, name: 'two', role: 'work' as const, address: '10.0.0.2:3500', isDraining: true }
  const three = { ...one, name: 'three', heardAgo: 9_400, isAlive: false }
  await using machine = await startMachine(answers(listMachines, () => ({ machines: [one, two, three] })))
  const { stdout } = await machine.run(['operator', 'machines'], env)
  const [head = '', ...rows] = stdout.trimEnd().split('\n')
  for (const word of ['NAME', 'ROLE', 'STATUS', 'VERSION', 'LOAD', 'DISK FREE'])
    assert.ok(head.includes(word))
  assert.match(rows[0] ?? '', /^one +serve +well +1\.2\.0 +iad1 +– +0\.25 /)
  assert.match(rows[1] ?? '', /^two +work +draining +1\.2\.0 +iad1 +10\.0\.0\.2:3500 /)
  assert.match(rows[2] ?? '', /^three +serve +silent for 9 s /)
})
