import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { type WorkTree, workTree } from '../../support/git/git.ts'
import { type GitHost, startGitHost } from '../../support/git/git-host.ts'
import { type Account, startServer, type TestServer } from '../../support/server.ts'

const TOKEN = 'the-token'
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

let server: TestServer
let host: GitHost
/** Contents that the host has for Git LFS, and what was asked of it. */
const lfs = new Map<string, string>()
const asked: { readonly path: string; readonly authorization: string | undefined }[] = []

before(async () => {
  const outbound = createOutbound({ allows: (address) => address === '127.0.0.1' })
  server = await startServer({
    env: { ALOFT_PRIVATE_TARGETS: '127.0.0.1' },
    workers: { outbound },
  })
  // As the specification of Git LFS describes its batch API.
  host = await startGitHost(TOKEN, async (request, response, path) => {
    if (path.startsWith('/storage/')) {
      asked.push({ path, authorization: request.headers.authorization })
      const content =
        request.headers['x-signed'] === 'yes' ? lfs.get(path.slice('/storage/'.length)) : undefined
      response.writeHead(content === undefined ? 404 : 200).end(content)
      return true
    }
    if (!path.endsWith('/info/lfs/objects/batch')) return false
    asked.push({ path, authorization: request.headers.authorization })
    if (
      !Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64')
        .toString()
        .endsWith(`:${TOKEN}`)
    ) {
      response.writeHead(401).end()
      return true
    }
    const { objects } = JSON.parse(await text(request)) as { objects: { oid: string; size: number }[] }
    response.writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' }).end(
      JSON.stringify({
        transfer: 'basic',
        objects: objects.map(({ oid, size }) =>
          lfs.has(oid)
            ? {
                ...{ oid, size },
                actions: { download: { href: `${host.url}/storage/${oid}`, header: { 'X-Signed': 'yes' } } },
              }
            : { oid, size, error: { code: 404, message: 'Object does not exist' } },
        ),
      }),
    )
    return true
  })
  await server.startJobs()
})
after(async () => {
  await server?.close()
  await host?.close()
})

/** Adds a submodule as it stands in a commit, without fetching anything. */
async function addModule(tree: WorkTree, path: string, url: string, commit: string): Promise<void> {
  const { stdout } = await tree.git('show', 'HEAD:.gitmodules')
  await tree.write('.gitmodules', `${stdout}[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`)
  await tree.must('add', '-A')
  await tree.must('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`)
  await mkdir(join(tree.folder, path), { recursive: true })
  await tree.must('commit', '-q', '-m', `With ${path}`)
}

async function atHost(t: TestContext, name: string, files: Record<string, string>) {
  const tree = await workTree(t, files)
  await tree.commit('The first')
  const at = await host.repository(name)
  return {
    tree,
    push: () => tree.must('push', '-f', at, 'main'),
    commit: () => tree.must('rev-parse', 'HEAD'),
  }
}

async function connected(me: Account, project: string, name: string, settings: object = {}) {
  await server.call('POST /v10/projects', { ...me, body: { name: project } })
  await server.call(`PATCH /v9/projects/${project}`, { ...me, body: settings })
  await server.call(`PUT /v1/projects/${project}/git`, {
    ...me,
    body: { url: `${host.url}/${name}.git`, token: TOKEN },
  })
}

interface ShownPush {
  readonly id: string
  readonly notes: readonly string[]
}

/** The push of a commit once it is deployed, with what was told of it. */
async function deployed(me: Account, project: string, commit: string): Promise<ShownPush> {
  for (;;) {
    const { body } = await server.call(`GET /v1/projects/${project}/pushes`, me)
    const push = body.pushes.find(({ after: oid }: { after: string }) => oid === commit)
    const failed = body.pushes.find(({ state }: { state: string }) => state === 'failed')
    if (failed) assert.fail(JSON.stringify(failed.reason))
    if (push?.state === 'deployed') return push
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const seen = async (project: string, path: string) =>
  (await server.visit(`${project}.localhost`, path)).body as string

test('submodules come along: private ones of the same host, relative, by SSH, and within each other', async (t) => {
  const me = await server.signUp()
  const deep = await atHost(t, 'ada/deep', { 'deep.txt': 'deep', '.git-not/x': 'kept' })
  const lib = await atHost(t, 'ada/lib', { 'lib.txt': 'lib' })
  await addModule(lib.tree, 'deep', '../deep.git', await deep.commit())
  const site = await atHost(t, 'ada/site', { 'index.html': 'site' })
  await addModule(site.tree, 'libs/lib', '../lib.git', await lib.commit())
  await addModule(site.tree, 'by-ssh', 'git@127.0.0.1:ada/deep.git', await deep.commit())
  for (const one of [deep, lib, site]) await one.push()
  await connected(me, 'modules', 'ada/site')
  const { notes } = await deployed(me, 'modules', await site.commit())
  assert.deepEqual(notes, [])
  assert.equal(await seen('modules', '/libs/lib/lib.txt'), 'lib')
  assert.equal(await seen('modules', '/libs/lib/deep/deep.txt'), 'deep')
  assert.equal(await seen('modules', '/by-ssh/deep.txt'), 'deep')
  // They go with the project.
  const { body: project } = await server.call('GET /v9/projects/modules', me)
  const copies = async () =>
    (await readdir(join(server.dataDir, 'git'))).filter((id) => id.startsWith(project.id))
  assert.equal((await copies()).length, 3)
  await server.call('DELETE /v1/projects/modules/git', me)
  assert.deepEqual(await copies(), [])
})

test('what cannot be read is left out, each with its reason, and nothing hostile is run', async (t) => {
  const me = await server.signUp()
  const other = await startGitHost('another-token')
  t.after(() => other.close())
  const elsewhere = await other.repository('eve/private')
  const lib = await atHost(t, 'ada/lone', { 'lib.txt': 'lib' })
  await lib.push()
  await lib.tree.must('push', elsewhere, 'main')
  const site = await atHost(t, 'ada/odd', { 'index.html': 'odd' })
  const commit = await lib.commit()
  await addModule(site.tree, 'other-host', `${other.url}/eve/private.git`, commit)
  await addModule(site.tree, 'vanished', '../nowhere.git', commit)
  await addModule(site.tree, 'no-such-commit', '../lone.git', '1'.repeat(40))
  await addModule(site.tree, 'local', 'file:///etc', commit)
  await addModule(site.tree, 'program', `ext::sh -c touch% ${site.tree.folder}/pwned`, commit)
  await addModule(site.tree, 'private', 'http://10.0.0.1/x.git', commit)
  await site.tree.must('update-index', '--add', '--cacheinfo', `160000,${commit},unnamed`)
  await mkdir(join(site.tree.folder, 'unnamed'))
  await site.tree.must('commit', '-q', '-m', 'Unnamed')
  await site.push()
  await connected(me, 'odd', 'ada/odd')
  const notes = (await deployed(me, 'odd', await site.commit())).notes.join('\n')
  assert.equal(await seen('odd', '/'), 'odd')
  for (const words of [
    /^other-host is a submodule and was skipped: 127\.0\.0\.1 requires authentication. The token of a repository/m,
    /^vanished is a submodule and was skipped: .*not found/m,
    /^no-such-commit is a submodule and was skipped: 127\.0\.0\.1 does not have the commit/m,
    /^local is a submodule and was skipped: its URL "file:\/\/\/etc" is neither https nor SSH/m,
    /^program is a submodule and was skipped: its URL "ext::sh.* is neither https nor SSH/m,
    /^private is a submodule and was skipped: .*private address/m,
    /^unnamed is a submodule and was skipped: \.gitmodules has no URL for it/m,
  ])
    assert.match(notes, words)
  assert.ok(!notes.includes(TOKEN))
})

test('a submodule without end is followed a few levels, and one of the account’s own projects is found', async (t) => {
  const me = await server.signUp()
  const remote = (project: string) =>
    `${server.url.replace('://', `://git:${me.token}@`)}/git/${me.username}/${project}.git`
  const lib = await workTree(t, { 'index.html': 'the library' })
  const commit = await lib.commit('The first')
  await lib.must('push', '-o', 'nowait', remote('own-lib'), 'main')
  const site = await workTree(t, { 'index.html': 'site' })
  await site.commit('The first')
  await addModule(site, 'lib', '../own-lib.git', commit)
  await addModule(site, 'nobody', '../own-nothing.git', commit)
  await addModule(site, 'others', '../../somebody/own-lib.git', commit)
  const { said } = await site.git('push', remote('own-site'), 'main')
  assert.match(said, /nobody is a submodule and was skipped: the account has no project "own-nothing"/)
  assert.match(said, /others is a submodule and was skipped: the account has no project "own-lib"/)
  assert.equal(await seen('own-site', '/lib/'), 'the library')

  // Git itself takes no commit with an address that is an option, or a path that leaves the repository.
  const hostile = await workTree(t, { 'index.html': 'site' })
  await hostile.commit('The first')
  await addModule(hostile, 'lib', '--upload-pack=touch', commit)
  assert.match(
    (await hostile.git('push', remote('own-site'), 'main:hostile')).said,
    /disallowed submodule url/,
  )

  // A repository whose submodule is itself: each commit names the one before.
  const loop = await atHost(t, 'ada/loop', { 'index.html': 'loop' })
  for (let i = 0; i < 8; i++) await addModule(loop.tree, `l${i}`, '../loop.git', await loop.commit())
  await loop.push()
  await connected(me, 'looping', 'ada/loop')
  const { notes } = await deployed(me, 'looping', await loop.commit())
  assert.match(notes.join('\n'), /followed 5 levels deep|at most 50 of them/)
  assert.equal(await seen('looping', '/'), 'loop')
})

test('copies of submodules count toward the storage of the account, and none is fetched where there is no room', async (t) => {
  const me = await server.signUp()
  const operator = await server.operator()
  const allow = (contentBytes: number | null) =>
    server.call(`PATCH /v1/operator/accounts/${me.email}/quotas`, {
      token: operator.token,
      body: { contentBytes },
    })
  const storage = async () => {
    const { body } = await server.call('GET /v1/usage', me)
    return body.quotas.find(({ name }: { name: string }) => name === 'contentBytes')
  }
  const repositories = async () => (await storage()).parts[1].used
  const heavy = await atHost(t, 'ada/heavy', { 'data.txt': randomBytes(300_000).toString('base64') })
  const light = await atHost(t, 'ada/light', { 'index.html': 'light' })
  await addModule(light.tree, 'heavy', '../heavy.git', await heavy.commit())
  await light.push()
  await connected(me, 'light', 'ada/light')
  // It is not there yet, so it is fetched when the push is run again.
  const first = await deployed(me, 'light', await light.commit())
  assert.match(first.notes.join(), /heavy is a submodule and was skipped/)
  const alone = await repositories()
  assert.ok(alone > 0 && alone < 100_000, `${alone}`)
  await heavy.push()
  const again = async (notes: RegExp) => {
    const { body } = await server.call(`POST /v1/projects/light/pushes/${first.id}/run-again`, me)
    for (;;) {
      const push = (await server.call(`GET /v1/projects/light/pushes/${body.id}`, me)).body
      if (push.state === 'deployed' || push.state === 'failed') return assert.match(push.notes.join(), notes)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await allow((await storage()).used)
  await again(/heavy is a submodule and was skipped: Your plan allows .+ of storage/)
  assert.equal(await repositories(), alone)
  await allow(null)
  await again(/^$/)
  assert.ok((await repositories()) > alone + 200_000)
  assert.equal((await server.call('DELETE /v1/projects/light/git', me)).status, 204)
  assert.equal(await repositories(), 0)
})

test('contents of Git LFS are fetched where the project wants them, checked, and told where they are missing', async (t) => {
  const me = await server.signUp()
  const pointer = (content: string, oid = sha256(content)) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`
  const [whole, gone, forged] = ['the whole picture', 'not there', 'as it should be']
  lfs.set(sha256(whole), whole)
  lfs.set(sha256(forged), 'something else!')
  const site = await atHost(t, 'ada/lfs', {
    'index.html': 'site',
    '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n',
    'a.png': pointer(whole),
    'same.png': pointer(whole),
    'gone.png': pointer(gone),
    'plain.txt': 'a small file that is no pointer',
  })
  await site.push()
  await connected(me, 'with-pointers', 'ada/lfs')
  const off = await deployed(me, 'with-pointers', await site.commit())
  assert.match(off.notes.join('\n'), /uses Git LFS, which is off for this project/)
  assert.equal(await seen('with-pointers', '/a.png'), pointer(whole))
  assert.equal(asked.length, 0)

  await connected(me, 'with-lfs', 'ada/lfs', { gitLFS: true })
  const on = await deployed(me, 'with-lfs', await site.commit())
  assert.deepEqual(on.notes, [
    'Git LFS files are missing and were deployed as pointers: gone.png (its server does not have them).',
  ])
  for (const name of ['/a.png', '/same.png']) assert.equal(await seen('with-lfs', name), whole)
  assert.equal(await seen('with-lfs', '/plain.txt'), 'a small file that is no pointer')
  assert.deepEqual(
    asked.map(({ path }) => path),
    ['/ada/lfs.git/info/lfs/objects/batch', `/storage/${sha256(whole)}`],
  )

  // What is there already is not asked for again, and what has another hash is not taken.
  asked.length = 0
  await site.tree.write('forged.png', pointer(forged))
  await site.tree.commit('A forged one')
  await site.push()
  await server.call('POST /v1/projects/with-lfs/git/sync', me)
  const { notes } = await deployed(me, 'with-lfs', await site.commit())
  assert.match(notes.join('\n'), /forged\.png.*does not match/)
  assert.equal(await seen('with-lfs', '/a.png'), whole)
  assert.ok(!asked.some(({ path }) => path.endsWith(sha256(whole))))
})

test('a push of Git LFS objects to the platform itself is refused with what to do instead', async () => {
  const answer = await fetch(`${server.url}/git/anybody/site.git/info/lfs/objects/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.git-lfs+json' },
    body: JSON.stringify({ operation: 'upload', objects: [{ oid: sha256('x'), size: 1 }] }),
  })
  assert.equal(answer.status, 501)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/vnd\.git-lfs\+json/)
  const { message } = (await answer.json()) as { message: string }
  assert.match(message, /does not store Git LFS objects\. Keep these files in Git itself/)
})
