import assert from 'node:assert/strict'
import { randomFillSync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { deployed, type Files } from '#test/support/deploying.ts'
import { type Installation, install } from '#test/support/installation.ts'

let aloft: Installation
let host: string

before(async () => {
  aloft = await install()
  const made = await deployed(aloft, { name: 'kept', target: 'production', files: await output() })
  host = made.url
})
after(() => aloft.remove())

const SIDE = 3000
const WIDTH = 1600

async function output(): Promise<Files> {
  const func = '.vercel/output/functions/news.func'
  const noise = sharp(randomFillSync(Buffer.alloc(200 * 200 * 3)), {
    raw: { width: 200, height: 200, channels: 3 },
  })
  // It takes long enough that it can be found in the middle of it.
  const large = await noise.resize(SIDE, SIDE, { kernel: 'cubic' }).jpeg().toBuffer()
  return {
    '.vercel/output/config.json': JSON.stringify({
      version: 3,
      routes: [{ handle: 'filesystem' }],
      images: { sizes: [64, WIDTH], formats: ['image/webp'], minimumCacheTTL: 3600 },
    }),
    '.vercel/output/static/small.png': await noise.clone().resize(100, 100).png().toBuffer(),
    '.vercel/output/static/large.jpg': large,
    [`${func}/.vc-config.json`]: JSON.stringify({
      runtime: 'nodejs22.x',
      handler: 'i.js',
      launcherType: 'Nodejs',
    }),
    // What the visitor says who finds the answer old decides whether it hangs.
    [`${func}/i.js`]: `let hanging = 0
module.exports = (req, res) => {
  if (req.url.endsWith('?hanging')) return res.end(String(hanging))
  if (req.headers['x-hang']) return void hanging++
  res.setHeader('cache-control', 's-maxage=2, stale-while-revalidate=3600')
  res.end(require('node:crypto').randomUUID())
}
`,
  }
}

interface Got {
  readonly status: number
  readonly from: IncomingHttpHeaders[string]
  /** What ids of requests begin with in one process, and in no other. */
  readonly by: string
  readonly body: Buffer
}

const get = (path: string, more: Readonly<Record<string, string>> = {}) =>
  new Promise<Got>((resolve, reject) => {
    const headers = { host, accept: 'image/webp,*/*', ...more }
    request({ host: '127.0.0.1', port: aloft.port, path, headers, agent: false }, (response) => {
      response.toArray().then((parts) => {
        const { statusCode: status = 0, headers: said } = response
        const by = String(said['x-vercel-id']).replace(/-.*/, '')
        resolve({ status, by, from: said['x-vercel-cache'], body: Buffer.concat(parts) })
      }, reject)
    })
      .on('error', reject)
      .end()
  })

/** Asks again until there is something; who has just died is asked again too. */
async function eventually<T>(look: () => Promise<T | undefined>, pauseMs = 25): Promise<T> {
  for (;;) {
    const found = await look().catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') return undefined
      throw error
    })
    if (found !== undefined) return found
    await wait(pauseMs)
  }
}

interface Process {
  readonly pid: number
  readonly parent: number
  /** Of CPU time. */
  readonly ticks: number
  readonly command: string
}

async function readProcess(pid: number): Promise<Process> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const fields = (await read('stat')).replace(/^.*\) /s, '').split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { pid, parent: Number(fields[1]), ticks, command: await read('cmdline') }
}

async function processes(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readProcess(Number(pid))))
}

/** The process of this installation that makes images. */
async function imageProcess(): Promise<Process | undefined> {
  const all = await processes()
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]))
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === aloft.process.pid || isOurs(parents.get(pid)))
  return all.find(
    ({ pid, command }) => /^[^\0]*node\0/.test(command) && /images\/main\.mjs\0/.test(command) && isOurs(pid),
  )
}

let quality = 50

/** Asks for a large image, and has the process that makes it stand still in the middle of it. */
async function inTheMiddle() {
  // Another image each time. One that was made before the process could be stopped is no use.
  for (;;) {
    const q = ++quality
    assert.equal((await get(`/_vercel/image?url=%2Fsmall.png&w=64&q=${q}`)).status, 200)
    const { pid, ticks } = await eventually(imageProcess)
    const path = `/_vercel/image?url=%2Flarge.jpg&w=${WIDTH}&q=${q}`
    let isOver = false
    const visitor = get(path).finally(() => {
      isOver = true
    })
    visitor.catch(() => {})
    // It is in the middle of it for a moment only.
    await eventually(
      async () => (isOver || (await readProcess(pid)).ticks - ticks >= 5 ? true : undefined),
      5,
    )
    process.kill(pid, 'SIGSTOP')
    // Whatever it had written by then has arrived.
    await get('/small.png')
    if (!isOver) return { path, pid, visitor }
    process.kill(pid, 'SIGCONT')
  }
}

/** All of its pixels can be read, and everybody gets the same. */
async function assertWhole(path: string, { status, body }: Got) {
  assert.equal(status, 200, body.toString('latin1').slice(0, 200))
  const { info } = await sharp(body, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [WIDTH, WIDTH])
  const kept = await get(path)
  assert.deepEqual([kept.from, kept.body.equals(body)], ['HIT', true])
}

test('kill -9 of what makes an image, in the middle of it: even who waited gets the whole image', async () => {
  const { path, pid, visitor } = await inTheMiddle()
  process.kill(pid, 'SIGKILL')
  await assertWhole(path, await visitor)
})

test('kill -9 of the serving process, in the middle of an image: the next visitor gets the whole image', async () => {
  const { path, pid, visitor } = await inTheMiddle()
  for (const serving of await aloft.children('serve')) process.kill(serving, 'SIGKILL')
  await assert.rejects(visitor)
  const next = await eventually(() => get(path))
  assert.equal(next.from, 'MISS')
  await assertWhole(path, next)
  await eventually(async () => (await processes()).every((one) => one.pid !== pid) || undefined)
})

/** Has every serving process find the same answer; one that has found none yet asks the function for its visitor. */
async function keptByAll(): Promise<string> {
  const count = (await aloft.children('serve')).length
  const found = new Map<string, string>()
  return eventually(async () => {
    const { from, by, body } = await get('/news')
    if (from !== 'HIT') found.clear()
    else found.set(by, String(body))
    const [old, ...others] = new Set(found.values())
    return found.size === count && others.length === 0 ? old : undefined
  })
}

test('kill -9 in the middle of a revalidation: the old answer stays, and the next one is made anew', async () => {
  const old = await keptByAll()
  const stale = await eventually(async () => {
    const got = await get('/news', { 'x-hang': '1' })
    return got.from === 'STALE' ? got : undefined
  })
  assert.equal(String(stale.body), old)
  await eventually(async () => (Number((await get('/news?hanging')).body) > 0 ? true : undefined))
  for (const serving of await aloft.children('serve')) process.kill(serving, 'SIGKILL')
  const next = await eventually(() => get('/news'))
  assert.deepEqual([next.status, next.from, String(next.body)], [200, 'STALE', old])
  const renewed = await eventually(async () => {
    const got = await get('/news')
    return String(got.body) === old ? undefined : got
  })
  assert.equal(renewed.status, 200)
  assert.match(String(renewed.body), /^[\da-f-]{36}$/)
})
