import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'

/** What an installation had acknowledged when its data directory was kept; what its API could not do yet is absent. */
export interface KeptData {
  readonly schema: readonly string[]
  readonly team?: string
  readonly secret?: string
  readonly token?: { readonly id: string; readonly bearer: string }
  readonly variable?: { readonly project: string; readonly key: string; readonly value: string }
  readonly domain?: string
  readonly record?: { readonly name: string; readonly value: string }
  /** Host and path of pages, and what they show. */
  readonly pages: readonly { readonly host: string; readonly path: string; readonly text: string }[]
  /** Of a deployment whose visits are in the log. */
  readonly logged?: string
}

const KEPT = 'kept.json'
/** What is made again by itself, or is only large. */
const LEFT_OUT = [
  ...['toolchains', 'reserve', 'blobs/reserve', 'run', 'work', 'builds', 'outbox', 'prerenders', 'programs'],
  ...['instances', 'program-caches', 'authorities.pem', '*-wal', '*-shm'],
]

type Call = (on: string, body?: unknown) => Promise<{ status: number; body: Record<string, never> }>

export const caller =
  (aloft: Installation, token = aloft.token): Call =>
  async (on, body) => {
    const [method = 'GET', path] = on.split(' ')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await fetch(`${aloft.url}${path}`, init)
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, never> }
  }

async function upload(aloft: Installation, text: string): Promise<{ sha: string; size: number } | undefined> {
  const sha = createHash('sha1').update(text).digest('hex')
  const headers = { authorization: `Bearer ${aloft.token}`, 'x-platform-digest': sha }
  const { status } = await fetch(`${aloft.url}/v2/platform/files`, { method: 'POST', headers, body: text })
  return status === 200 ? { sha, size: text.length } : undefined
}

async function ready(call: Call, id: string): Promise<boolean> {
  // Ten minutes: a machine may be busy with much else.
  for (let n = 0; n < 3000; n++) {
    const { body } = await call(`GET /v8/platform/deployments/${id}`)
    const { readyState } = body as { readyState?: string }
    if (readyState === 'READY') return true
    if (readyState === 'ERROR' || readyState === undefined) return false
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return false
}

/** Does what people do with an installation, as far as its version can. */
export async function fill(aloft: Installation): Promise<Omit<KeptData, 'schema'>> {
  const call = caller(aloft)
  const kept: { -readonly [K in keyof KeptData]?: KeptData[K] } = {}
  const pages: { host: string; path: string; text: string }[] = []
  const add = async (host: string, path: string) => {
    const { status, text } = await visit(aloft, host, { path })
    if (status === 200) pages.push({ host, path, text })
    return status === 200
  }
  const ok = async (on: string, body: unknown) => (await call(on, body)).status === 200

  if (await ok('POST /v1/teams', { slug: 'crew' })) kept.team = 'crew'
  if (await ok('POST /v2/platform/secrets', { name: 'pass-word', value: 'open sesame' }))
    kept.secret = 'pass-word'
  const token = await call('POST /v3/user/tokens', { name: 'kept' })
  if (token.status === 200) {
    const { bearerToken, token: made } = token.body as unknown as {
      bearerToken: string
      token: { id: string }
    }
    kept.token = { id: made.id, bearer: bearerToken }
  }

  const file = await upload(aloft, 'kept since then')
  if (file) {
    const site = { version: 2, name: 'site', target: 'production', files: [{ file: 'index.html', ...file }] }
    const made = (await call('POST /v8/platform/deployments', site)).body as { id?: string; url?: string }
    if (made.id !== undefined && made.url !== undefined && (await add(made.url, '/'))) kept.logged = made.id
    const alias = { alias: 'kept-name' }
    if (made.id !== undefined && (await ok(`POST /v2/platform/deployments/${made.id}/aliases`, alias)))
      await add('kept-name.localhost', '/')
  }
  const variable = { key: 'GREETING', value: 'hello', type: 'encrypted', target: ['production', 'preview'] }
  if ([200, 201].includes((await call('POST /v10/projects/site/env', variable)).status))
    kept.variable = { project: 'site', key: 'GREETING', value: 'hello' }
  if (await ok('POST /v4/domains', { name: 'kept.example' })) kept.domain = 'kept.example'
  const record = { name: 'www', type: 'A', value: '192.0.2.7' }
  if (kept.domain && (await ok(`POST /v2/domains/${kept.domain}/records`, record))) kept.record = record

  const code = `module.exports = (req, res) => res.end('answered by ' + (process.env.WHO || 'nobody'))\n`
  const functions = {
    version: 2,
    name: 'code',
    env: { WHO: 'a function' },
    files: [{ file: 'api/hello.js', data: code }],
  }
  const made = (await call('POST /v8/platform/deployments', functions)).body as { id?: string; url?: string }
  if (made.id !== undefined && made.url !== undefined && (await ready(call, made.id)))
    await add(made.url, '/api/hello')
  return { ...kept, pages }
}

async function run(args: readonly string[], input?: Buffer): Promise<Buffer> {
  const tar = spawn('tar', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  tar.stdin.end(input)
  const [chunks, [code]] = await Promise.all([tar.stdout.toArray(), once(tar, 'exit')])
  if (code !== 0) throw new Error(`tar ${args.join(' ')} exited with ${code}`)
  return Buffer.concat(chunks)
}

/** Writes a data directory, of an installation that was stopped, into a small file. */
export async function pack(dataDir: string, kept: KeptData, file: string): Promise<void> {
  await writeFile(join(dataDir, KEPT), JSON.stringify(kept))
  const exclude = LEFT_OUT.map((name) => `--exclude=./${name}`)
  const tar = await run(['-cf', '-', '--sort=name', '--owner=0', '--group=0', ...exclude, '-C', dataDir, '.'])
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  }
  await writeFile(file, brotliCompressSync(tar, { params }))
}

export async function unpack(file: string, dataDir: string): Promise<KeptData> {
  const owner = process.getuid?.() === 0 ? ['--no-same-owner'] : []
  await run(['-xf', '-', ...owner, '-C', dataDir], brotliDecompressSync(await readFile(file)))
  return JSON.parse(await readFile(join(dataDir, KEPT), 'utf8')) as KeptData
}
