import { createHash, randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { connect } from 'node:tls'
import { oneConnection, type Reply, send } from '../load/send.ts'
import { amount, isTrial } from '../measure/trial.ts'
import { deployReady } from '../platform/deploy-ready.ts'
import type { Call } from '../platform/platform.ts'

/** Somebody who does their worst, with an account of their own. */
interface NoisyTenant {
  readonly url: string
  readonly tlsPort: number
  /** Rejects unless it is answered with a 2xx. */
  call(path: string, call?: Call): Promise<Reply>
}

/** Goes on until it is told to stop, and comes to an end soon after. */
type Load = (signal: AbortSignal) => Promise<unknown>

export interface Storm {
  readonly what: string
  /** Makes ready what it needs, which is not measured. */
  prepare(loud: NoisyTenant): Promise<Load> | Load
  /** How much longer visitors may wait for it, if not 1.5 times as long. */
  readonly target?: number
}

export interface Tally {
  done: number
  refused: number
  /** The first reason: limits refuse later what was refused for another reason before. */
  why?: string
}

/** Of everything that was done here. Somebody whose requests are all refused does little harm. */
export const tally: Tally = { done: 0, refused: 0 }

/** What is refused, for whatever reason, is tried again at once, or nearly. */
const whileNot = async (signal: AbortSignal, work: () => Promise<unknown>): Promise<void> => {
  while (!signal.aborted)
    await work().then(
      () => void tally.done++,
      (error: Error) => {
        tally.refused++
        tally.why ??= error.message
        return new Promise((resolve) => setTimeout(resolve, 20))
      },
    )
}

/** So many at once, over and over. */
const many =
  (count: number, work: (agent: Agent) => Promise<unknown>): Load =>
  (signal) =>
    Promise.all(
      Array.from({ length: count }, () => {
        const agent = oneConnection()
        return whileNot(signal, () => work(agent)).finally(() => agent.destroy())
      }),
    )

const CREATE = '/v8/platform/deployments'
let made = 0
/** No two are alike, so that nothing of one is used again for another. */
const bodyOf = (count: number): string => {
  const own = `${process.pid} ${made++}`
  const files = Array.from({ length: count }, (_, n) => ({
    file: `p/${n % 1000}/f${n}.txt`,
    data: `${own} ${n}`,
  }))
  return JSON.stringify({ name: 'worst', version: 2, files })
}
const create = async ({ call }: NoisyTenant, body: string, agent?: Agent): Promise<string> =>
  JSON.parse((await call(CREATE, { method: 'POST', body, ...(agent ? { agent } : {}) })).body).id

const creates = (at: number, files: number): Omit<Storm, 'what'> => ({
  prepare(loud) {
    // Put together ahead: what is measured is what the platform does with them.
    const bodies = Array.from({ length: amount(3 * at, 1) }, () => bodyOf(files))
    return many(at, (agent) => create(loud, bodies.pop() ?? bodyOf(files), agent))
  },
})

const visits = ({ url }: NoisyTenant, at: number, host: string, path: () => string): Load =>
  many(at, async (agent) => {
    const { status } = await send({ url: `${url}${path()}`, headers: { host }, agent })
    if (status >= 500) throw new Error(`it answered ${status}`)
  })

/** One handshake for a name that no certificate was made for yet. */
const handshake = (port: number, servername: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      socket.destroy()
      resolve()
    }).once('error', reject)
  })

const HUNGRY = `const kept = []
module.exports = (req, res) => {
  for (let n = 0; n < 20; n++) kept.push(Buffer.alloc(2 ** 20, n))
  res.end(String(kept.length))
}
`
const TALKATIVE = `module.exports = (req, res) => {
  for (let n = 0; n < 500; n++) console.log('line', n, 'x'.repeat(200))
  res.end('said')
}
`
/** Four loops that never rest, and memory that grows. */
const BUSY = `const { fork } = require('node:child_process')
if (process.argv[2]) for (const kept = []; ; ) { if (kept.length < 2000) kept.push(Buffer.alloc(1 << 17, 1)); Math.sqrt(kept.length) }
for (let i = 0; i < 4; i++) fork(__filename, ['busy'])
setTimeout(() => process.exit(1), 600000)
`

async function beginBuild(loud: NoisyTenant, name: string): Promise<string> {
  const files = [
    { file: 'package.json', data: JSON.stringify({ scripts: { build: 'node busy.js' } }) },
    { file: 'busy.js', data: BUSY },
  ]
  const id = await create(loud, JSON.stringify({ name, version: 2, files }))
  for (;;) {
    const { body: log } = await loud.call(`/v2/platform/deployments/${id}/events?builds=1`)
    if (log.includes('node busy.js')) return id
    if (log.includes('Error:')) throw new Error(log)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Of a site that was visited so often, the deployment. */
async function visited(loud: NoisyTenant, count: number): Promise<string> {
  const host = await deployReady(loud, 'searched', { 'index.html': 'y' })
  let left = count
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const agent = oneConnection()
      while (left-- > 0) await send({ url: `${loud.url}/nowhere-${Math.random()}`, headers: { host }, agent })
      agent.destroy()
    }),
  )
  return JSON.parse((await loud.call(`/v8/platform/deployments/${host}`)).body).id
}

/** A picture of a million pixels: PNG, with nothing in it that compresses. */
async function picture(): Promise<string> {
  const { default: sharp } = await import('sharp')
  const side = amount(1000, 10)
  const raw = { width: side, height: side, channels: 3 } as const
  return (
    await sharp(randomBytes(side * side * 3), { raw })
      .png()
      .toBuffer()
  ).toString('base64')
}

/** By the word that picks it. */
export const STORMS: Readonly<Record<string, Storm>> = {
  creates: { what: 'two creates of 100,000 files at once', ...creates(2, amount(100_000, 500)) },
  'smaller-creates': { what: 'four creates of 10,000 files at once', ...creates(4, amount(10_000, 100)) },
  trees: {
    what: 'eight readers of the tree of 100,000 files',
    async prepare(loud) {
      const path = `/v5/platform/deployments/${await create(loud, bodyOf(amount(100_000, 500)))}/files`
      return many(8, (agent) => loud.call(path, { agent }))
    },
  },
  lists: {
    what: 'sixteen readers of lists',
    async prepare(loud) {
      for (let n = 0; n < amount(50, 1); n++) await create(loud, bodyOf(1))
      return many(16, (agent) => loud.call('/v3/platform/deployments?limit=100', { agent }))
    },
  },
  patterns: {
    what: 'patterns that are hard to match',
    prepare(loud) {
      const body = JSON.stringify({
        ...{ name: 'worst', version: 2, files: [{ file: 'a'.repeat(1000), data: '' }] },
        builds: [{ src: `${'*a'.repeat(400)}b`, use: '@aloft/static' }],
      })
      // They match nothing, which is found out by all that they cost, and refused.
      const matchesNothing = (error: Error) => {
        if (!error.message.includes(': 400 ')) throw error
      }
      return many(4, (agent) => create(loud, body, agent).catch(matchesNothing))
    },
  },
  visits: {
    what: 'visits that fill the log',
    async prepare(loud) {
      const host = await deployReady(loud, 'noisy', { 'index.html': 'y' })
      return visits(loud, 8, host, () => `/nowhere-${Math.random()}`)
    },
  },
  output: {
    what: 'functions that fill the log',
    async prepare(loud) {
      const host = await deployReady(loud, 'talkative', { 'api/talk.js': TALKATIVE })
      return visits(loud, 4, host, () => '/api/talk')
    },
  },
  searches: {
    what: 'four searches of a long log',
    async prepare(loud) {
      const id = await visited(loud, amount(20_000, 20))
      const path = `/v2/platform/deployments/${id}/events?q=is-in-none-of-them`
      return many(4, (agent) => loud.call(path, { agent }))
    },
  },
  handshakes: {
    what: 'handshakes for names without a certificate',
    async prepare(loud) {
      const host = await deployReady(loud, 'noisy', { 'index.html': 'y' })
      return many(4, () => handshake(loud.tlsPort, `n${Math.random().toString(36).slice(2)}.${host}`))
    },
  },
  memory: {
    what: 'functions that eat memory until they are ended',
    async prepare(loud) {
      const host = await deployReady(loud, 'hungry', { 'api/eat.js': HUNGRY })
      return visits(loud, 4, host, () => '/api/eat')
    },
  },
  images: {
    what: 'images under names that are always new',
    async prepare(loud) {
      const files = [
        { file: 'a.png', data: await picture(), encoding: 'base64' },
        { file: 'index.html', data: 'y' },
      ]
      const images = { sizes: [640, 1080], domains: [], formats: ['image/avif', 'image/webp'] }
      const id = await create(
        loud,
        JSON.stringify({
          name: 'pictures',
          version: 2,
          files: [...files, { file: 'vercel.json', data: JSON.stringify({ images }) }],
        }),
      )
      const { url: host } = JSON.parse((await loud.call(`/v8/platform/deployments/${id}`)).body)
      return visits(
        loud,
        8,
        host,
        () => `/_vercel/image?url=${encodeURIComponent(`/a.png?${Math.random()}`)}&w=640&q=75`,
      )
    },
  },
  uploads: {
    what: 'four uploads of 20 MB at once, and files of 4 KB',
    prepare(loud) {
      /** So many bytes, other ones each time, without hashing all of them again. */
      const contents = (size: number) => {
        const start = randomBytes(size)
        const hashed = createHash('sha1').update(start)
        return () => {
          const end = randomBytes(16)
          return { body: Buffer.concat([start, end]), sha1: hashed.copy().update(end).digest('hex') }
        }
      }
      const uploads = (at: number, next: ReturnType<typeof contents>) =>
        many(at, (agent) => {
          const { body, sha1 } = next()
          const headers = { 'content-type': 'application/octet-stream', 'x-platform-digest': sha1 }
          return loud.call('/v2/platform/files', { method: 'POST', body, agent, headers })
        })
      const [few, files] = [uploads(4, contents(amount(20e6, 1000))), uploads(8, contents(4096))]
      return (signal) => Promise.all([few(signal), files(signal)])
    },
  },
  backups: {
    what: 'two backups at once, by the operator',
    prepare: (loud) =>
      many(2, (agent) => loud.call('/v1/operator/backups?logs=true', { method: 'POST', agent })),
  },
  builds: {
    what: 'two builds that use all the CPU they may',
    target: 1.3,
    async prepare(loud) {
      const ids: string[] = []
      for (let n = 0; n < (isTrial ? 1 : 2); n++) ids.push(await beginBuild(loud, `builds-${n}`))
      return async (signal) => {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        for (const id of ids) await loud.call(`/v8/platform/deployments/${id}`, { method: 'DELETE' })
      }
    },
  },
}
