import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { addSshKey, deleteSshKey, listSshKeys } from '#contract/api/ssh-key.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const key = (id: string, name: string) => ({
  ...{ id, name, fingerprint: `SHA256:${id}`, publicKey: 'ssh-ed25519 AAAA' },
  createdAt: Date.now(),
  usedAt: null,
})
const listed = (...keys: ReturnType<typeof key>[]) =>
  answers(listSshKeys, () => ({
    keys,
    server: { host: 'git.example', port: 2222, hostKeyFingerprint: 'SHA256:host' },
  }))

test('ls shows the keys, where to push and the host key', async () => {
  await using machine = await startMachine(listed(key('key_1', 'laptop')))
  const { code, stdout, stderr } = await machine.run(['keys', 'ls'], env)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /key_1 +laptop +SHA256:key_1 .*never/)
  assert.match(
    stderr,
    /ssh:\/\/git@git\.example:2222\/<account>\/<project>\.git; the host key is SHA256:host/,
  )
})

test('add sends the public half, and never the private one', async () => {
  const sent: unknown[] = []
  await using machine = await startMachine(
    answers(addSshKey, ({ body }) => {
      sent.push(body)
      return { key: key('key_2', body.name ?? 'ada@laptop') }
    }),
  )
  await writeFile(join(machine.home, 'key'), '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n')
  await writeFile(join(machine.home, 'key.pub'), 'ssh-ed25519 AAAA ada@laptop\n')
  const refused = await machine.run(['keys', 'add', 'key'], env)
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /is a private key\. It was not sent\./)
  assert.match((await machine.run(['keys', 'add', 'none.pub'], env)).stderr, /does not exist/)
  const { stdout } = await machine.run(['keys', 'add', 'key.pub', '--name', 'desk'], env)
  assert.match(stdout, /Added the SSH key "desk", SHA256:key_2/)
  assert.deepEqual(sent, [{ publicKey: 'ssh-ed25519 AAAA ada@laptop', name: 'desk' }])
})

test('rm takes a name where it is one key’s alone', async () => {
  const removed: string[] = []
  await using machine = await startMachine(
    listed(key('key_1', 'laptop'), key('key_2', 'desk'), key('key_3', 'desk')),
    answers(deleteSshKey, ({ params }) => {
      removed.push(params.id ?? '')
      return { key: key(params.id ?? '', 'laptop') }
    }),
  )
  assert.match(
    (await machine.run(['keys', 'rm', 'desk', '--yes'], env)).stderr,
    /several SSH keys named desk/,
  )
  assert.match((await machine.run(['keys', 'rm', 'x', '--yes'], env)).stderr, /You have no SSH key x/)
  assert.equal((await machine.run(['keys', 'rm', 'laptop', '--yes'], env)).code, 0)
  assert.deepEqual(removed, ['key_1'])
})
