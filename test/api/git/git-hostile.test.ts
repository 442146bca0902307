import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { RUNS_AT_ONCE } from '#core/git/git-turns.ts'
import { FLUSH, packet } from '#core/git/protocol/pkt-line.ts'
import { runGit, type WorkTree, workTree } from '../../support/git/git.ts'
import { type GitHost, startGitHost } from '../../support/git/git-host.ts'
import { processesWith } from '../../support/sandbox/sandbox.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'of-the-host'

let server: TestServer
let host: GitHost

before(async () => {
  host = await startGitHost(TOKEN)
  server = await startServer({ env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' } })
  await server.startJobs()
})
after(async () => {
  await server?.close()
  await host?.close()
})

interface ShownPush {
  readonly state: string
  readonly after: string | null
  readonly author: string | null
  readonly message: string | null
  readonly reason: { readonly code: string; readonly message: string } | null
}

const pushesOf = async (account: Account, project: string): Promise<readonly ShownPush[]> =>
  (await server.call(`GET /v1/projects/${project}/pushes?limit=100`, account)).body.pushes

/** As the file systems of other machines write `.git`, or ways out of a folder. */
const NAMES = [
  '.git',
  '.GIT',
  '.g\u200cit',
  'git~1',
  '.git ',
  '.git::$INDEX_ALLOCATION',
  '..',
  '../outside',
] as const

/** A commit of a folder of this name that has a hook in it, as no git would make it. */
async function evilCommit(tree: WorkTree, name: string): Promise<string> {
  const { folder, object } = rawObjects(tree)
  const hook = await object('blob', Buffer.from('#!/bin/sh\ntouch /tmp/aloft-was-here\n'))
  const hooks = await folder('post-receive', '100755', hook)
  const inner = await folder('hooks', '40000', hooks)
  return tree.must('commit-tree', await folder(name, '40000', inner), '-m', 'Evil')
}

function rawObjects(tree: WorkTree) {
  const object = async (kind: string, content: Buffer) => {
    await writeFile(join(tree.folder, '.raw'), content)
    return tree.must('hash-object', '-t', kind, '-w', '--literally', '.raw')
  }
  const folder = (entry: string, mode: string, oid: string) =>
    object('tree', Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(oid, 'hex')]))
  return { object, folder }
}

/** Of no object: what is named is there already. */
async function emptyPack(): Promise<Buffer> {
  const empty = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  return Buffer.concat([empty, Buffer.from(await crypto.subtle.digest('SHA-1', empty))])
}

async function pushed(t: TestContext, project: string) {
  const account = await server.signUp()
  const tree = await workTree(t, { 'index.html': 'first' })
  const commit = await tree.commit('The first')
  const remote = `${server.url.replace('://', `://git:${account.token}@`)}/git/${account.username}/${project}.git`
  await tree.must('push', remote, 'main')
  return { account, tree, commit, remote }
}

test('a tree that would write into .git or out of its folder, on any file system, is refused when it is pushed', async (t) => {
  const { account, tree, commit, remote } = await pushed(t, 'evil-names')
  for (const name of NAMES) {
    const { ok, said } = await tree.git('push', remote, `${await evilCommit(tree, name)}:refs/heads/evil`)
    assert.equal(ok, false, `${JSON.stringify(name)}: ${said}`)
  }
  // So is a list of submodules that is a link.
  const { object, folder } = rawObjects(tree)
  const link = await folder('.gitmodules', '120000', await object('blob', Buffer.from('/etc/passwd')))
  const linking = await tree.must('commit-tree', link, '-m', 'A link')
  const linked = await tree.git('push', remote, `${linking}:refs/heads/evil`)
  assert.match(linked.said, /gitmodules/)
  assert.equal(linked.ok, false)
  assert.equal(await tree.must('ls-remote', remote), `${commit}\tHEAD\n${commit}\trefs/heads/main`)
  const states = (await pushesOf(account, 'evil-names')).map(({ state, reason }) => reason?.code ?? state)
  assert.deepEqual(states, [...NAMES.map(() => 'refused'), 'refused', 'deployed'])
})

test('nor is it fetched from elsewhere, and what is live stays live', async (t) => {
  const account = await server.signUp()
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  const at = await host.repository('eve/site')
  await tree.must('push', at, 'main')
  await server.call('POST /v10/projects', { ...account, body: { name: 'evil-import' } })
  const body = { url: `${host.url}/eve/site.git`, token: TOKEN }
  await server.call('PUT /v1/projects/evil-import/git', { ...account, body })
  await until(async () => (await pushesOf(account, 'evil-import'))[0]?.state === 'deployed')
  for (const name of ['.g\u200cit', '..']) {
    const evil = await evilCommit(tree, name)
    await tree.must('push', '--force', at, `${evil}:refs/heads/main`)
    const before = (await pushesOf(account, 'evil-import')).length
    await server.call('POST /v1/projects/evil-import/git/sync', account)
    await until(async () => (await pushesOf(account, 'evil-import')).length > before)
    const [push] = await pushesOf(account, 'evil-import')
    assert.equal(push?.reason?.code, 'unreachable', `${name}: ${JSON.stringify(push)}`)
    assert.equal((await server.visit('evil-import.localhost', '/')).body, 'first')
  }
})

test('of a repository elsewhere, a branch that no one could push here is not fetched, and the others are followed', async (t) => {
  const account = await server.signUp()
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  const at = await host.repository('eve/deep')
  await tree.must('push', at, 'main', `main:refs/heads/${'a/'.repeat(100)}a`)
  await server.call('POST /v10/projects', { ...account, body: { name: 'evil-depth' } })
  const body = { url: `${host.url}/eve/deep.git`, token: TOKEN }
  const connected = await server.call('PUT /v1/projects/evil-depth/git', { ...account, body })
  assert.equal(connected.status, 200)
  await until(async () => (await pushesOf(account, 'evil-depth'))[0]?.state === 'deployed')
  const { body: shown } = await server.call('GET /v1/projects/evil-depth/git', account)
  assert.equal(shown.problem, null)
  const { id } = (await server.call('GET /v9/projects/evil-depth', account)).body
  const { stdout } = await runGit(join(server.dataDir, 'git', `${id}.git`), 'for-each-ref')
  assert.match(stdout, /refs\S+main\n/)
  assert.doesNotMatch(stdout, /a\/a/)
})

test('a push of what is not there leaves nothing behind', async (t) => {
  const { account, commit } = await pushed(t, 'evil-folders')
  const command = packet(`${commit} ${commit} refs/heads/a/b/c/d\0 report-status side-band-64k\n`)
  const answer = await fetch(`${server.url}/git/${account.username}/evil-folders.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-receive-pack-request',
      authorization: `Basic ${Buffer.from(`x:${account.token}`).toString('base64')}`,
    },
    body: Buffer.concat([command, FLUSH, await emptyPack()]),
  })
  assert.match(await answer.text(), /ng refs\/heads\/a\/b\/c\/d /)
  const { id } = (await server.call('GET /v9/projects/evil-folders', account)).body
  const refs = join(server.dataDir, 'git', `${id}.git`, 'refs')
  await until(async () => !(await readdir(join(refs, 'heads'))).includes('a'))
})

test('a tree of a few folders that stand in each other again and again is refused before its paths are in memory', async (t) => {
  const { account, tree, remote } = await pushed(t, 'evil-tree')
  const { object } = rawObjects(tree)
  const folder = (mode: string, oid: string) => {
    const entries = Array.from({ length: 10 }, (_, i) => [
      Buffer.from(`${mode} ${i}\0`),
      Buffer.from(oid, 'hex'),
    ])
    return object('tree', Buffer.concat(entries.flat()))
  }
  let oid = await folder('100644', await object('blob', Buffer.from('x')))
  for (let depth = 0; depth < 5; depth++) oid = await folder('40000', oid)
  const commit = await tree.must('commit-tree', oid, '-m', 'A million files')
  await tree.must('push', '--force', remote, `${commit}:refs/heads/main`)
  await until(async () => (await pushesOf(account, 'evil-tree'))[0]?.state === 'failed')
  const [push] = await pushesOf(account, 'evil-tree')
  assert.match(push?.reason?.message ?? '', /^The commit has more than 100000 files/)
})

test('of a message and a name without end the beginning is kept', async (t) => {
  const { account, tree, remote } = await pushed(t, 'evil-words')
  const { object } = rawObjects(tree)
  const by = `${'a'.repeat(10_000)} <eve@example.com> 1700000000 +0000`
  const head = `tree ${await tree.must('rev-parse', 'main^{tree}')}\nauthor ${by}\ncommitter ${by}\n\n`
  const commit = await object('commit', Buffer.from(head + 'm'.repeat(2 ** 20)))
  await tree.must('push', '--force', remote, `${commit}:refs/heads/main`)
  await until(async () => (await pushesOf(account, 'evil-words'))[0]?.state === 'deployed')
  const [push] = await pushesOf(account, 'evil-words')
  assert.deepEqual([push?.author?.length, push?.message?.length], [500, 8000])
})

test('refs that no git would send are refused, whoever speaks, and nothing outside of the refs is written', async (t) => {
  const { account, commit, tree, remote } = await pushed(t, 'evil-refs')
  const zero = '0'.repeat(40)
  const pack = await emptyPack()
  for (const ref of [
    'refs/heads/../../config',
    'refs/heads/../../../escaped',
    'refs/heads/..',
    'refs/heads/a..b',
    'refs/heads/.hidden',
    'refs/heads/x.lock',
    'refs/heads/a\\b',
    'refs/heads/a b',
    'refs/heads/a~1',
    'refs/heads/@{1}',
    'refs/heads//a',
    'refs/heads/a/',
    'HEAD',
    'config',
    '../escaped',
    'hooks/post-receive',
    'refs/aloft/heads/main',
    `refs/heads/${'n'.repeat(300)}`,
    `refs/heads/${'a/'.repeat(20)}a`,
  ]) {
    const command = packet(`${zero} ${commit} ${ref}\0 report-status side-band-64k\n`)
    const { status, text } = await fetch(
      `${server.url}/git/${account.username}/evil-refs.git/git-receive-pack`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/x-git-receive-pack-request',
          authorization: `Basic ${Buffer.from(`x:${account.token}`).toString('base64')}`,
        },
        body: Buffer.concat([command, FLUSH, pack]),
      },
    ).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    assert.ok(status === 400 || text.includes(`ng ${ref} `), `${ref}: ${status} ${text}`)
    assert.doesNotMatch(text, /(?:^|[0-9a-f]{4})ok refs/m)
  }
  assert.equal(await tree.must('ls-remote', remote), `${commit}\tHEAD\n${commit}\trefs/heads/main`)
  const { body: project } = await server.call('GET /v9/projects/evil-refs', account)
  const at = join(server.dataDir, 'git', `${project.id}.git`)
  assert.equal((await runGit(at, 'for-each-ref', '--format=%(refname)')).stdout, 'refs/heads/main\n')
  assert.equal((await runGit(at, 'config', 'core.bare')).stdout, 'true\n')
})

test('what is no pack, or breaks off, is refused and recorded', async (t) => {
  const { account, commit } = await pushed(t, 'evil-packs')
  const send = (body: Uint8Array) =>
    fetch(`${server.url}/git/${account.username}/evil-packs.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-git-receive-pack-request',
        authorization: `Basic ${Buffer.from(`x:${account.token}`).toString('base64')}`,
      },
      body: Buffer.from(body),
    }).then(async (answer) => `${answer.status} ${await answer.text()}`)
  const command = packet(`${commit} ${'1'.repeat(40)} refs/heads/main\0 report-status side-band-64k\n`)
  for (const pack of [
    Buffer.alloc(0),
    Buffer.from('not a pack at all'),
    // It says that four thousand million objects follow.
    Buffer.from('PACK\0\0\0\x02\xff\xff\xff\xff', 'latin1'),
  ])
    assert.doesNotMatch(await send(Buffer.concat([command, FLUSH, pack])), /(?:^|[0-9a-f]{4})ok refs/m)
  for (const malformed of ['zzzz', '0001', '0003abc', 'ffff', `0032${'x'.repeat(46)}`])
    assert.match(await send(Buffer.from(malformed)), /^(?:400|200 $)/, malformed)
  const states = (await pushesOf(account, 'evil-packs')).map(({ state }) => state)
  assert.deepEqual(states, ['failed', 'failed', 'failed', 'deployed'])
  assert.equal((await server.visit('evil-packs.localhost', '/')).body, 'first')
})

test('a repository that vanishes is told once, takes nothing offline, and is followed again when it is back', async (t) => {
  const account = await server.signUp()
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  const at = await host.repository('ada/vanishing')
  await tree.must('push', at, 'main')
  await server.call('POST /v10/projects', { ...account, body: { name: 'vanishing' } })
  const body = { url: `${host.url}/ada/vanishing.git`, token: TOKEN }
  await server.call('PUT /v1/projects/vanishing/git', { ...account, body })
  const codes = async () =>
    (await pushesOf(account, 'vanishing')).map(({ state, reason }) => reason?.code ?? state)
  await until(async () => (await codes()).join() === 'deployed')

  await rm(at, { recursive: true })
  for (let round = 0; round < 3; round++) {
    server.clock.advance(7 * 60 * MINUTE)
    await server.runJobs()
  }
  await until(async () => (await codes()).length === 2)
  assert.deepEqual(await codes(), ['unreachable', 'deployed'])
  const { problem } = (await server.call('GET /v1/projects/vanishing/git', account)).body
  assert.match(problem, /not found/)
  assert.equal((await server.visit('vanishing.localhost', '/')).body, 'first')
  // What was deployed can be deployed once more from the copy that is here.
  const [, earlier] = (await server.call('GET /v1/projects/vanishing/pushes', account)).body.pushes
  await server.call(`POST /v1/projects/vanishing/pushes/${earlier.id}/run-again`, account)
  await until(async () => (await codes())[0] === 'deployed')

  await host.repository('ada/vanishing')
  await tree.write('index.html', 'second')
  await tree.commit('It is back')
  await tree.must('push', at, 'main')
  server.clock.advance(7 * 60 * MINUTE)
  await server.runJobs()
  await until(async () => (await server.visit('vanishing.localhost', '/')).body === 'second')
  assert.equal((await server.call('GET /v1/projects/vanishing/git', account)).body.problem, null)
})

test('who has as many runs of git as an account may waits for one to end, and nobody else does', async (t) => {
  const { account, remote, tree } = await pushed(t, 'many-runs')
  const other = await pushed(t, 'few-runs')
  const refsOf = ({ username, token }: Account, project: string) =>
    fetch(`${server.url}/git/${username}/${project}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
    }).then(async (answer) => [answer.status, (await answer.text()).includes('refs/heads/main')])
  // A request that never ends is a run of git that never ends.
  const half = (): ClientRequest => {
    const asked = request(`${server.url}/git/${account.username}/many-runs.git/git-upload-pack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-git-upload-pack-request',
        authorization: `Basic ${Buffer.from(`x:${account.token}`).toString('base64')}`,
        'transfer-encoding': 'chunked',
      },
    })
    asked.on('error', () => {})
    asked.write('0032want')
    return asked
  }
  const { id } = (await server.call('GET /v9/projects/many-runs', account)).body
  /** Each is a program that this process has started, and what that has started. */
  const running = () =>
    processesWith('http-backend').filter((pid) => {
      try {
        const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
        const isOfIt = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`/${id}.git`)
        return Number(parent) === process.pid && isOfIt
      } catch {
        return false
      }
    }).length
  /** Each serving process counts its own. */
  const most = RUNS_AT_ONCE * server.allParts.length
  const held = Array.from({ length: most + 6 }, half)
  t.after(() => {
    for (const asked of held) asked.destroy()
  })
  await until(async () => running() >= most)
  let isAnswered = false
  const late = refsOf(account, 'many-runs').finally(() => {
    isAnswered = true
  })
  assert.deepEqual(await refsOf(other.account, 'few-runs'), [200, true])
  assert.equal(
    await other.tree.must('ls-remote', other.remote, 'refs/heads/main'),
    `${other.commit}\trefs/heads/main`,
  )
  assert.equal(isAnswered, false)
  for (const asked of held) asked.destroy()
  assert.deepEqual(await late, [200, true])
  assert.ok((await tree.must('ls-remote', remote)).includes('refs/heads/main'))
})

test('repositories take room of the account like its files, in all of its projects together', async (t) => {
  const { account, tree, remote } = await pushed(t, 'large-packs')
  const operator = await server.operator()
  const allow = async (contentBytes: number | null) => {
    const { status } = await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, {
      token: operator.token,
      body: { contentBytes },
    })
    assert.equal(status, 200)
  }
  await tree.must('push', remote, 'main:other')
  const refsOf = async () => (await tree.must('ls-remote', remote)).split('\n').length
  const before = await refsOf()
  await writeFile(join(tree.folder, 'large.bin'), randomBytes(400_000))
  await tree.commit('Large')
  await allow(200_000)
  const tooLarge = await tree.git('push', '-o', 'nowait', remote, 'main:large')
  assert.equal(tooLarge.ok, false)
  assert.match(tooLarge.said, /Your plan allows 200 KB of storage/)
  await allow(null)
  await tree.must('push', '-o', 'nowait', remote, 'main:large')
  await allow(200_000)
  const elsewhere = await tree.git('push', '-o', 'nowait', remote.replace('large-packs', 'another'), 'main')
  assert.equal(elsewhere.ok, false)
  assert.match(elsewhere.said, /Your plan allows .+ of storage/)
  assert.equal((await server.call('GET /v9/projects/another', account)).status, 404)
  assert.equal(await refsOf(), before + 1)
  await tree.must('push', remote, '--delete', 'other')
  assert.equal(await refsOf(), before)
})

test('pushes at the same time take no more room together than there is, and who is refused is told why', async (t) => {
  const { account, tree, remote } = await pushed(t, 'crowd')
  const operator = await server.operator()
  const stored = async () => {
    const { body } = await server.call('GET /v1/usage', account)
    return body.quotas.find(({ name }: { name: string }) => name === 'contentBytes').used as number
  }
  const refs = ['one', 'two', 'three', 'four']
  for (const ref of refs) {
    await tree.must('checkout', '-q', '-b', ref, 'main')
    await writeFile(join(tree.folder, 'large.bin'), randomBytes(1_000_000))
    await tree.commit(ref)
  }
  const contentBytes = (await stored()) + 1_500_000
  const set = await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, {
    token: operator.token,
    body: { contentBytes },
  })
  assert.equal(set.status, 200)
  const answers = await Promise.all(
    refs.map((ref) => tree.git('push', '-o', 'nowait', remote.replace('crowd', `crowd-${ref}`), ref)),
  )
  const refused = answers.filter(({ ok }) => !ok)
  assert.equal(refused.length, 3, answers.map(({ said }) => said).join('\n'))
  for (const { said } of refused) assert.match(said, /Your plan allows .+ of storage/)
  // The server is done with what was refused: nothing is held for it any more.
  await until(async () => (await stored()) <= contentBytes - 300_000)
  const { gitSizes } = server.parts.stores
  const { id } = (await server.parts.stores.users.byEmail(account.email)) ?? { id: '' }
  assert.ok((await gitSizes.used(id)) > 1_000_000)
})

test('what a push has brought counts once, also while its sender follows the deployment', async (t) => {
  const { account, tree, remote } = await pushed(t, 'once')
  const operator = await server.operator()
  await writeFile(join(tree.folder, 'large.bin'), randomBytes(1_000_000))
  await tree.commit('Large')
  const { body } = await server.call('GET /v1/usage', account)
  const { used } = body.quotas.find(({ name }: { name: string }) => name === 'contentBytes')
  // In the repository, and among the files of its deployment.
  const { status } = await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, {
    token: operator.token,
    body: { contentBytes: used + 2_300_000 },
  })
  assert.equal(status, 200)
  await tree.must('push', remote, 'main')
  const [push] = await pushesOf(account, 'once')
  assert.deepEqual([push?.state, push?.reason], ['deployed', null])
})

test('what is pushed as small differences to something large takes no more room than it was sent in', async (t) => {
  const { account, tree, remote } = await pushed(t, 'differences')
  const stored = async () => {
    const { body } = await server.call('GET /v1/usage', account)
    const { parts } = body.quotas.find(({ name }: { name: string }) => name === 'contentBytes')
    return parts[1].used as number
  }
  const large = randomBytes(1_000_000)
  for (let n = 0; n < 20; n++)
    await writeFile(join(tree.folder, `large-${n}.bin`), Buffer.concat([large, Buffer.from(`${n}`)]))
  await tree.commit('Alike')
  const before = await stored()
  await tree.must('push', '-o', 'nowait', remote, 'main:refs/tags/alike')
  const grown = (await stored()) - before
  assert.ok(grown < 4_000_000, `${grown} bytes for 20 files of which one differs from the other by a few`)
})

test('what repositories take counts for uploads as well, and is shown', async (t) => {
  const { account, tree, remote } = await pushed(t, 'counted')
  const operator = await server.operator()
  const storage = async () => {
    const { body } = await server.call('GET /v1/usage', account)
    const { used, parts } = body.quotas.find(({ name }: { name: string }) => name === 'contentBytes')
    const [files, repositories] = parts
    assert.deepEqual([files.title, repositories.title], ['Files', 'Git repositories'])
    assert.equal(used, files.used + repositories.used)
    return { used, repositories: repositories.used }
  }
  const before = await storage()
  assert.ok(before.repositories > 0)
  await writeFile(join(tree.folder, 'large.bin'), randomBytes(400_000))
  await tree.commit('Large')
  await tree.must('push', '-o', 'nowait', remote, 'main:refs/tags/large')
  const after = await storage()
  assert.ok(after.repositories > before.repositories + 400_000)
  await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, {
    token: operator.token,
    body: { contentBytes: after.used + 10 },
  })
  const upload = (text: string) =>
    server.call('POST /v2/platform/files', {
      ...account,
      body: text,
      headers: {
        'content-type': 'application/octet-stream',
        'x-platform-digest': createHash('sha1').update(text).digest('hex'),
      },
    })
  const refused = await upload('eleven byte')
  assert.deepEqual([refused.status, refused.body.error.quota], [403, 'contentBytes'])
  assert.match(refused.body.error.message, /are used by files and Git repositories/)
  assert.equal((await upload('ten bytes!')).status, 200)
  await server.call('DELETE /v9/projects/counted', account)
  assert.equal((await storage()).repositories, 0)
})

test('a repository elsewhere is not fetched where there is no room for it, and that is said', async (t) => {
  const account = await server.signUp()
  const operator = await server.operator()
  const tree = await workTree(t, { 'index.html': 'first' })
  await tree.commit('The first')
  const at = await host.repository('ada/growing')
  await tree.must('push', at, 'main')
  await server.call('POST /v10/projects', { ...account, body: { name: 'growing' } })
  await server.call(`PATCH /v1/operator/accounts/${account.email}/quotas`, {
    token: operator.token,
    body: { contentBytes: 0 },
  })
  await server.call('PUT /v1/projects/growing/git', {
    ...account,
    body: { url: `${host.url}/ada/growing.git`, token: TOKEN },
  })
  const problem = async () => (await server.call('GET /v1/projects/growing/git', account)).body.problem
  await until(async () => (await problem()) !== null)
  assert.match(await problem(), /Your plan allows .+ of storage/)
})
