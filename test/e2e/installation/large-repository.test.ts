import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '#test/support/free-port.ts'
import { runGit, workTree } from '#test/support/git/git.ts'
import { type GitHost, startGitHost } from '#test/support/git/git-host.ts'
import { sshClient } from '#test/support/git/ssh.ts'
import { type Installation, install, TOKEN } from '#test/support/installation.ts'
import { forgetPeak, peakOf, peakOfPrograms } from '#test/support/process/peak-memory.ts'

/** `npm run test:git` has the sizes that are promised; otherwise the same is done with less. */
const isLong = process.env.ALOFT_TEST_LONG === '1'
const REPOSITORY_MB = isLong ? 500 : 20
const COMMITS = isLong ? 1_000_000 : 10_000
/** In MB, how much more one of our processes may use than before, and what one run of git may use, whatever is pushed. */
const MOST_GROWTH = 200
const MOST_OF_GIT = 200

let aloft: Installation
let host: GitHost
let sshPort: number
const TOKEN_OF_HOST = 'token-of-host'

before(async () => {
  host = await startGitHost(TOKEN_OF_HOST)
  sshPort = await freePort()
  aloft = await install({
    env: { ALOFT_SSH_PORT: String(sshPort), ALOFT_PRIVATE_TARGETS: '127.0.0.1', ALOFT_RATE_LIMIT: '1000000' },
  })
})
after(async () => {
  await host?.close()
  if (!aloft) return
  await aloft.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: it looks into whatever the server answered
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${aloft.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = await response.json()
  assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

async function deployed(project: string, query = ''): Promise<void> {
  for (;;) {
    const { pushes } = await call('GET', `/v1/projects/${project}/pushes${query}`)
    if (pushes[0]?.state === 'failed') assert.fail(JSON.stringify(pushes[0].reason))
    if (pushes[0]?.state === 'deployed') return
    await new Promise((next) => setTimeout(next, 100))
  }
}

async function bounded(what: string, work: () => Promise<void>): Promise<void> {
  const pids = {
    serving: (await aloft.children('serve'))[0] ?? 0,
    working: (await aloft.children('work'))[0] ?? 0,
  }
  const earlier = { serving: await forgetPeak(pids.serving), working: await forgetPeak(pids.working) }
  const { peak, seen } = await peakOfPrograms(aloft.process.pid ?? 0, 'git', work)
  const said = [`git ${peak} MB`]
  for (const role of ['serving', 'working'] as const) {
    const now = (await peakOf(pids[role])) ?? assert.fail(`the ${role} process is gone`)
    const growth = now - earlier[role]
    said.push(`${role} process ${earlier[role]} + ${growth} MB`)
    assert.ok(growth <= MOST_GROWTH, `${what}: the ${role} process grew by ${growth} MB`)
  }
  console.log(`${what}: ${said.join(', ')}`)
  assert.ok(seen > 0, 'no run of git was seen')
  assert.ok(peak <= MOST_OF_GIT, `${what}: git used ${peak} MB`)
}

test(`a repository of ${REPOSITORY_MB} MB is pushed over HTTP and SSH and imported within bounded memory`, async (t) => {
  const tree = await workTree(t, { 'index.html': 'large' })
  await mkdir(join(tree.folder, 'data'))
  // Most are as large as what is still read as a whole; one is streamed.
  const each = 4 * 2 ** 20
  for (let left = REPOSITORY_MB - 10, n = 0; left > 0; left -= 4, n++)
    await writeFile(join(tree.folder, 'data', `${n}.bin`), randomBytes(each))
  const streamed = randomBytes(10 * 2 ** 20)
  await writeFile(join(tree.folder, 'data', 'streamed.bin'), streamed)
  for (const [key, value] of [
    ['core.compression', '0'],
    ['core.bigFileThreshold', '1m'],
  ] as const)
    await tree.must('config', key, value)
  await tree.commit('Large')
  const { user } = await call('GET', '/v2/user')
  const client = await sshClient(t)
  await call('POST', '/v1/user/ssh-keys', { publicKey: client.publicKey })
  await tree.must('config', 'core.sshCommand', client.command)
  const size = async (id: string) => {
    const folder = join(aloft.folder, 'data/git', `${id}.git/objects`)
    const sizes = (await readdir(folder, { recursive: true })).map(
      async (name) => (await stat(join(folder, name))).size,
    )
    return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
  }

  await bounded('pushed over HTTP', async () => {
    await tree.must(
      'push',
      `${aloft.url.replace('://', `://git:${TOKEN}@`)}/git/${user.username}/large.git`,
      'main',
    )
  })
  const { id } = await call('GET', '/v9/projects/large')
  assert.ok((await size(id)) > REPOSITORY_MB * 2 ** 20 * 0.95)
  // Another account has none of the contents yet: they are all read and stored again.
  await call('POST', '/v1/teams', { slug: 'by-ssh' })
  await bounded('pushed over SSH', async () => {
    await tree.must('push', `ssh://git@127.0.0.1:${sshPort}/by-ssh/large-ssh.git`, 'main')
  })
  const at = await host.repository('ada/large')
  await tree.must('push', at, 'main')
  const other = await call('POST', '/v1/teams', { slug: 'imports' })
  await bounded('imported', async () => {
    const query = `?teamId=${other.id}`
    await call('POST', `/v10/projects${query}`, { name: 'large-import' })
    await call('PUT', `/v1/projects/large-import/git${query}`, {
      url: `${host.url}/ada/large.git`,
      token: TOKEN_OF_HOST,
    })
    await deployed('large-import', query)
  })
  const { hostname, port } = new URL(aloft.url)
  for (const project of ['large', 'large-ssh', 'large-import']) {
    const { stdout } = await promisify(execFile)(
      'curl',
      [
        '-sS',
        '--resolve',
        `${project}.localhost:${port}:${hostname}`,
        `http://${project}.localhost:${port}/data/streamed.bin`,
      ],
      { encoding: 'buffer', maxBuffer: 64 * 2 ** 20 },
    )
    assert.ok(stdout.equals(streamed), project)
  }
})

test(`of a history of ${COMMITS.toLocaleString('en')} commits one is fetched`, async () => {
  const at = await host.repository('ada/long')
  // As `git fast-import` reads it: one file, and then commits that each come after the one before.
  const child = spawn('git', ['--git-dir', at, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const who = (n: number) => `committer Ada <ada@aloft.test> ${1_500_000_000 + n} +0000\n`
  const closed = once(child, 'close')
  const write = async (text: string) => {
    if (!child.stdin.write(text)) await once(child.stdin, 'drain')
  }
  for (let n = 1; n <= COMMITS; n++) {
    const page = `page ${n}`
    const file = n === 1 || n === COMMITS ? `M 100644 inline index.html\ndata ${page.length}\n${page}\n` : ''
    await write(`commit refs/heads/main\n${who(n)}data 1\nx\n${file}\n`)
  }
  child.stdin.end()
  const [code] = await closed
  assert.equal(code, 0)
  const head = (await runGit(at, 'rev-parse', 'main')).stdout.trim()
  assert.equal((await runGit(at, 'rev-list', '--count', 'main')).stdout.trim(), String(COMMITS))

  await call('POST', '/v10/projects', { name: 'long' })
  await bounded('imported', async () => {
    await call('PUT', '/v1/projects/long/git', { url: `${host.url}/ada/long.git`, token: TOKEN_OF_HOST })
    await deployed('long')
  })
  const { id } = await call('GET', '/v9/projects/long')
  const mirror = join(aloft.folder, 'data/git', `${id}.git`)
  // One commit, its tree and its file.
  const counted = (await runGit(mirror, 'count-objects', '-v')).stdout
  const objects = [...counted.matchAll(/^(?:count|in-pack): (\d+)$/gm)].map(([, n]) => Number(n))
  assert.equal(
    objects.reduce((sum, n) => sum + n, 0),
    3,
    counted,
  )
  assert.equal((await readFile(join(mirror, 'shallow'), 'utf8')).trim(), head)
  const { pushes } = await call('GET', '/v1/projects/long/pushes')
  assert.equal(pushes[0].after, head)
})
