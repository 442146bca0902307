import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { runGit, workTree } from '../../support/git/git.ts'
import { sshClient } from '../../support/git/ssh.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer

before(async () => {
  server = await startServer({
    ssh: { maxAttempts: 4, signInMs: 2000 },
    env: { ALOFT_GIT_MAX_REFS: '30' },
  })
  await server.startJobs()
})
after(() => server?.close())

const addressOf = (account: string, project = 'site') =>
  `ssh://git@127.0.0.1:${server.sshPort}/${account}/${project}.git`

/** Somebody with a key that the server knows, and a repository. */
async function desk(
  t: TestContext,
  files: Record<string, string> = { 'index.html': 'first' },
  ...kind: string[]
) {
  const account = await server.signUp()
  const client = await sshClient(t, ...kind)
  const added = await server.call('POST /v1/user/ssh-keys', {
    ...account,
    body: { publicKey: client.publicKey },
  })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const tree = await workTree(t, files)
  const commit = await tree.commit('The first')
  await tree.must('config', 'core.sshCommand', client.command)
  await tree.must('remote', 'add', 'aloft', addressOf(account.username))
  const pushes = async () => (await server.call('GET /v1/projects/site/pushes', account)).body.pushes
  return { account, client, tree, commit, pushes, key: added.body.key }
}

const shown = (host: string) => server.visit(host, '/')

test('a push over SSH makes the project and is live, and a clone gets it back', async (t) => {
  const { account, client, tree, commit, pushes } = await desk(t)
  const { ok, said } = await tree.git('push', 'aloft', 'main')
  assert.ok(ok, said)
  const [, host = ''] = /remote: main: live at http:\/\/(\S+)/.exec(said) ?? []
  assert.equal((await shown(host)).body, 'first')
  const [push] = await pushes()
  assert.deepEqual([push.state, push.source, push.after], ['deployed', 'ssh', commit])
  const elsewhere = await workTree(t)
  const cloned = await runGit(
    elsewhere.folder,
    ...['-c', `core.sshCommand=${client.command}`, 'clone', '-q', addressOf(account.username), 'copy'],
  )
  assert.ok(cloned.ok, cloned.said)
  const log = await runGit(join(elsewhere.folder, 'copy'), 'log', '--format=%H %s')
  assert.equal(log.stdout.trim(), `${commit} The first`)
  const { body } = await server.call('GET /v1/user/ssh-keys', account)
  assert.equal(body.keys[0].name, 'ada@laptop')
  assert.equal(typeof body.keys[0].usedAt, 'number')
})

test('branches, options, deletion, tags, refusals and shallow clones are what they are over HTTP', async (t) => {
  const { account, client, tree, pushes } = await desk(t)
  assert.match((await tree.git('push', '-o', 'nowait', 'aloft', 'main')).said, /stored and is being deployed/)
  await server.runJobs()
  await tree.must('checkout', '-q', '-b', 'next')
  await tree.write('index.html', 'second')
  await tree.commit('Second')
  assert.match((await tree.git('push', '-o', 'prod', 'aloft', 'next')).said, /remote: next: live at /)
  await tree.must('reset', '-q', '--hard', 'HEAD~1')
  await tree.write('index.html', 'third')
  await tree.commit('Third')
  assert.match((await tree.git('push', '--force', 'aloft', 'next')).said, /next: ready at/)
  assert.match((await tree.git('push', 'aloft', '--delete', 'next')).said, /The branch was deleted/)
  await tree.must('tag', 'v1')
  assert.match((await tree.git('push', 'aloft', 'v1')).said, /Tags are stored but not deployed/)
  const refused = await tree.git('push', 'aloft', 'main:refs/changes/1')
  assert.equal(refused.ok, false)
  assert.match(refused.said, /only branches/)
  assert.match((await tree.git('push', 'aloft', 'main')).said, /Everything up-to-date/)
  const elsewhere = await workTree(t)
  const ssh = ['-c', `core.sshCommand=${client.command}`]
  for (const version of ['0', '1', '2']) {
    const cloned = await runGit(
      elsewhere.folder,
      ...[...ssh, '-c', `protocol.version=${version}`, 'clone', '-q', '--depth', '1'],
      ...[addressOf(account.username), `copy${version}`],
    )
    assert.ok(cloned.ok, cloned.said)
  }
  assert.deepEqual(
    (await pushes()).map(({ state }: { state: string }) => state),
    ['skipped', 'done', 'deployed', 'deployed', 'deployed'],
  )
})

test('a push of more branches and tags than a repository can have is refused in words', async (t) => {
  const { account, tree, commit } = await desk(t)
  const tags = Array.from({ length: 30 }, (_, i) => `refs/tags/v${i}`)
  for (const tag of tags) await tree.must('update-ref', tag, commit)
  const { ok, said } = await tree.git('push', 'aloft', 'main', ...tags)
  assert.equal(ok, false)
  assert.match(said, /at most 30 branches and tags; this one has 0\. Delete those that are no longer needed/)
  assert.equal((await server.call('GET /v9/projects/site', account)).status, 404)
})

test('a push to a team is for its members, and nobody reads what is somebody else’s', async (t) => {
  const { account, tree } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const stranger = await desk(t)
  for (const args of [
    ['push', addressOf(account.username), 'main'],
    ['ls-remote', addressOf(account.username)],
  ]) {
    const { ok, said } = await stranger.tree.git(...args)
    assert.equal(ok, false)
    assert.match(said, /There is no such repository, or this key has no access to it/)
  }
  assert.equal((await server.call('POST /v1/teams', { ...account, body: { slug: 'over-ssh' } })).status, 200)
  assert.match((await tree.git('push', addressOf('over-ssh', 'of-all'), 'main')).said, /main: live at/)
  assert.equal((await stranger.tree.git('ls-remote', addressOf('over-ssh', 'of-all'))).ok, false)
  assert.equal((await tree.git('ls-remote', addressOf(account.username, 'none'))).ok, false)
})

test('a key that is unknown, removed or somebody else’s opens nothing', async (t) => {
  const { account, client, tree, key } = await desk(t)
  await tree.must('push', 'aloft', 'main')
  const unknown = await sshClient(t)
  assert.match((await unknown.run(server.sshPort)).said, /Permission denied \(publickey\)/)
  const other = await server.signUp()
  const again = await server.call('POST /v1/user/ssh-keys', {
    ...other,
    body: { publicKey: client.publicKey },
  })
  assert.equal(again.status, 409)
  assert.equal((await server.call(`DELETE /v1/user/ssh-keys/${key.id}`, other)).status, 404)
  assert.equal((await server.call(`DELETE /v1/user/ssh-keys/${key.id}`, account)).status, 200)
  assert.match((await tree.git('push', 'aloft', 'main:more')).said, /Permission denied \(publickey\)/)
})

for (const kind of [
  ['-t', 'rsa', '-b', '2048'],
  ['-t', 'ecdsa', '-b', '256'],
])
  test(`a key of the kind ${kind[1]} signs in`, async (t) => {
    const { account, client } = await desk(t, { 'index.html': 'x' }, ...kind)
    const { said } = await client.run(server.sshPort)
    assert.match(said, new RegExp(`signed in as ${account.username}`))
  })

test('there is no shell, no other program, no terminal and no forwarding', async (t) => {
  const { client } = await desk(t)
  const shell = await client.run(server.sshPort)
  assert.equal(shell.code, 1)
  assert.match(shell.said, /There is no shell access/)
  for (const command of [
    'id',
    "git-upload-pack '/x/y.git'; id",
    'sh -c id',
    'scp -t /tmp',
    "git-upload-archive '/x/y'",
  ]) {
    const { code, said } = await client.run(server.sshPort, command)
    assert.equal(code, 1)
    assert.match(said, /Only git is served here/)
  }
  const terminal = await client.run(server.sshPort, '-tt')
  assert.match(terminal.said, /PTY allocation request failed/)
  const through = await client.run(server.sshPort, '-W', '127.0.0.1:1')
  assert.notEqual(through.code, 0)
  assert.match(through.said, /administratively prohibited|open failed|forwarding failed/)
  const back = await client.run(server.sshPort, '-o', 'ExitOnForwardFailure=yes', '-N', '-R', '0:127.0.0.1:1')
  assert.notEqual(back.code, 0)
  const files = await client.run(server.sshPort, '-s', 'sftp')
  assert.notEqual(files.code, 0)
})

test('nobody has large numbers raised to large powers by connecting', async (t) => {
  const { client } = await desk(t)
  for (const kex of [
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group-exchange-sha256',
    'ecdh-sha2-nistp521',
  ]) {
    const { code, said } = await client.run(server.sshPort, '-o', `KexAlgorithms=${kex}`)
    assert.notEqual(code, 0)
    assert.match(said, /no matching key exchange method|handshake|closed/i)
  }
  const usual = await client.run(server.sshPort, '-o', 'KexAlgorithms=ecdh-sha2-nistp256')
  assert.match(usual.said, /There is no shell access/)
})

test('who does not sign in in time, or says what is no SSH, is let go', async () => {
  for (const words of ['', 'SSH-2.0-quiet\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
    const socket = connect(server.sshPort, '127.0.0.1')
    socket.resume()
    socket.on('error', () => undefined)
    socket.write(words)
    await once(socket, 'close')
  }
})

test('the address and the key of the server are told with the keys', async (t) => {
  const { account, client } = await desk(t)
  const { body } = await server.call('GET /v1/user/ssh-keys', account)
  // The test server takes a free port, so that its settings say that it is off.
  assert.equal(body.server, null)
  const { said } = await client.run(server.sshPort, '-v')
  assert.match(said, /Server host key: ssh-ed25519 SHA256:/)
})
