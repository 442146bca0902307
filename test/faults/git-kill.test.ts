import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '#test/support/free-port.ts'
import { workTree } from '#test/support/git/git.ts'
import { sshClient } from '#test/support/git/ssh.ts'
import { install, TOKEN, uninstall } from '#test/support/installation.ts'
import { freezeWork } from '#test/support/process/freeze-work.ts'

test('a push that was acknowledged is deployed once although every process is killed right after it', async (t) => {
  const sshPort = await freePort()
  let aloft = await install({ env: { ALOFT_SSH_PORT: String(sshPort) } })
  t.after(() => uninstall(aloft))
  // biome-ignore lint/suspicious/noExplicitAny: it looks into whatever the server answered
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${aloft.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return response.json()
  }
  const { user } = await call('GET', '/v2/user')
  const client = await sshClient(t)
  await call('POST', '/v1/user/ssh-keys', { publicKey: client.publicKey })
  const { server } = await call('GET', '/v1/user/ssh-keys')
  assert.equal(server.port, sshPort)
  const shown = await client.run(sshPort, '-v')
  assert.ok(shown.said.includes(`Server host key: ssh-ed25519 ${server.hostKeyFingerprint}`), shown.said)

  const tree = await workTree(t, { 'index.html': 'pushed' })
  await tree.must('config', 'core.sshCommand', client.command)
  for (const [protocol, remote] of [
    ['git', `${aloft.url.replace('://', `://git:${TOKEN}@`)}/git/${user.username}/over-git.git`],
    ['ssh', `ssh://git@127.0.0.1:${sshPort}/${user.username}/over-ssh.git`],
  ] as const) {
    const commit = await tree.commit(`By ${protocol}`)
    // Nothing works on it until it is killed: what is done about it is done by those that come after. What is pushed over
    // HTTP is received by the working process itself, which may have begun.
    if (protocol === 'ssh') await freezeWork(aloft)
    const pushed = await tree.git('push', '-o', 'nowait', remote, 'main')
    await aloft.kill()
    assert.ok(pushed.ok, pushed.said)
    aloft = await aloft.restart()
    const pushes = async () => (await call('GET', `/v1/projects/over-${protocol}/pushes`)).pushes
    while ((await pushes())[0]?.state !== 'deployed') await new Promise((next) => setTimeout(next, 100))
    const { deployments } = await call('GET', `/v3/platform/deployments?app=over-${protocol}`)
    assert.deepEqual(
      [deployments.length, deployments[0].meta.gitCommitSha, deployments[0].state, (await pushes()).length],
      [1, commit, 'READY', 1],
    )
  }
})
