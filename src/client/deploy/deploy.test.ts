import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDeployment, getDeployment, listDeployments } from '#contract/api/deployment.ts'
import { uploadFile, uploadFiles } from '#contract/api/file.ts'
import { readEvents } from '#contract/api/log.ts'
import { AloftError } from '#contract/errors.ts'
import { unpackBatch } from '#contract/file-batch.ts'
import { ApiError } from '../api-error.ts'
import { createClient } from '../client.ts'
import { answers, startTestApi, type TestAnswer } from '../client-testing.ts'
import { type DeployOptions, deploy } from './deploy.ts'
import { DeployError } from './deploy-error.ts'
import type { DeployEvent, Deployment } from './deploy-event.ts'
import { deployFiles } from './deploy-files.ts'
import { sampleDeployment } from './deployment-testing.ts'

const closing: (() => unknown)[] = []
after(() => Promise.all(closing.map((close) => close())))

const sha1 = (bytes: string | Buffer): string => createHash('sha1').update(bytes).digest('hex')

const deployment = (readyState: Deployment['readyState']): Deployment => ({
  ...sampleDeployment,
  url: 'site-abc.localhost',
  name: 'site',
  readyState,
  createdAt: 1_900_000_000_000,
})

const entry = (serial: string, text: string) => ({
  type: 'stdout',
  created: 1,
  payload: {
    deploymentId: 'dpl_1',
    info: { type: 'build', name: 'b', entrypoint: '' },
    text,
    id: serial,
    date: 1,
    serial,
  },
})
const lines = (...entries: object[]) => `\n${entries.map((each) => `${JSON.stringify(each)}\n`).join('')}`

/** What an installation does with contents: it keeps them, and says which are missing. */
function keeper(state: Deployment['readyState'] = 'READY') {
  const kept = new Map<string, Buffer>()
  const uploads: string[] = []
  const rows: TestAnswer[] = [
    answers(uploadFile, ({ headers, body }) => {
      const digest = String(headers['x-platform-digest'])
      uploads.push(digest)
      if (sha1(body) !== digest) throw new AloftError('bad_request', 'not the SHA-1 of the body')
      kept.set(digest, body)
      return undefined
    }),
    answers(createDeployment, ({ body }) => {
      const missing = [...new Set(body.files.map(({ sha }) => String(sha)))].filter((sha) => !kept.has(sha))
      if (missing.length > 0) throw new AloftError('missing_files', 'Some are missing.', { missing })
      return deployment(state)
    }),
  ]
  return { kept, uploads, rows }
}

/** The same for one that also takes batches. */
function batchKeeper() {
  const { kept, uploads, rows } = keeper()
  const batches: number[] = []
  const takeBatch = answers(uploadFiles, ({ body }) => {
    const files = unpackBatch(body)
    if (typeof files === 'string') throw new AloftError('bad_request', files)
    for (const { sha1: announced, bytes } of files)
      if (sha1(Buffer.from(bytes)) !== announced) throw new AloftError('bad_request', 'not the SHA-1')
    batches.push(files.length)
    for (const { sha1: digest, bytes } of files) kept.set(digest, Buffer.from(bytes))
    return undefined
  })
  return { kept, uploads, batches, rows: [...rows, takeBatch] }
}

const manyFiles = () => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, `content ${i}`]))

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'aloft-deploy-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'sub'))
  for (const [path, bytes] of Object.entries(files)) writeFileSync(join(folder, path), bytes)
  return folder
}

async function start(folder: string, table: readonly TestAnswer[], more: Partial<DeployOptions> = {}) {
  const api = await startTestApi(table)
  closing.push(api.stop)
  const waits: number[] = []
  const wait = async (ms: number) => {
    waits.push(ms)
    // The end of a log is waited for as long as it takes.
    await (ms >= 10_000 ? new Promise<void>(() => {}) : new Promise(setImmediate))
  }
  const client = createClient({ baseUrl: api.baseUrl, token: 'tok0123456789', wait })
  const seen: DeployEvent[] = []
  const events = () => deploy({ client, folder, name: 'site', wait, ...more })
  const run = async () => {
    for await (const event of events()) seen.push(event)
  }
  return { api, seen, events, run, waits }
}

const last = (seen: readonly DeployEvent[], type: DeployEvent['type']) =>
  seen.findLast((event) => event.type === type)

test('contents are uploaded once each, and only those that are missing', async () => {
  const folder = folderOf({ a: 'same', b: 'same', 'sub/c': 'other', empty: '' })
  const { rows, uploads, kept } = keeper()
  const { api, seen, run } = await start(folder, rows, {
    target: 'production',
    env: { A: '1' },
    buildEnv: { B: '2' },
    meta: { c: '3' },
    force: true,
  })
  await run()
  assert.deepEqual(uploads.sort(), [sha1('same'), sha1('other'), sha1('')].sort())
  assert.deepEqual(last(seen, 'collected'), { type: 'collected', files: 4, bytes: 13 })
  assert.deepEqual(last(seen, 'missing'), { type: 'missing', files: 3, bytes: 9 })
  assert.deepEqual(last(seen, 'uploaded'), { type: 'uploaded', files: 3, bytes: 9 })
  assert.equal(seen.at(-1)?.type, 'ready')
  const created = api.requests.at(-1)
  assert.deepEqual(created?.query, { forceNew: 'true' })
  const { files, meta, ...body } = (created?.body ?? {}) as { files: object[]; meta: Record<string, string> }
  // A new one is known again by a mark, should its answer be lost.
  assert.deepEqual(Object.keys(meta), ['c', 'aloftDeployId'])
  assert.deepEqual(body, {
    name: 'site',
    version: 2,
    target: 'production',
    env: { A: '1' },
    build: { env: { B: '2' } },
    projectSettings: { nodeVersion: '24.x' },
  })
  assert.deepEqual(files[0], { file: 'a', sha: sha1('same'), size: 4, mode: 0o100644 })

  writeFileSync(join(folder, 'a'), 'new')
  kept.delete(sha1('new'))
  uploads.length = 0
  const again = await start(folder, rows)
  await again.run()
  assert.deepEqual(uploads, [sha1('new')])
})

test('a large file is streamed, and its progress told on the way', async () => {
  const bytes = Buffer.alloc(3_000_000, 7)
  const { rows, kept } = keeper()
  const { seen, run } = await start(folderOf({ big: bytes }), rows)
  await run()
  assert.ok(kept.get(sha1(bytes))?.equals(bytes))
  assert.deepEqual(last(seen, 'uploaded'), { type: 'uploaded', files: 1, bytes: bytes.length })
})

test('uploads outlast failures that pass', async () => {
  const { rows, uploads } = keeper()
  let refusals = 0
  const [upload, ...others] = rows as [TestAnswer, ...TestAnswer[]]
  const flaky: TestAnswer = {
    row: upload.row,
    answer(request) {
      if (++refusals <= 2) throw new AloftError('service_unavailable', 'restarting')
      return upload.answer(request)
    },
  }
  const { run, waits } = await start(folderOf({ a: 'text' }), [flaky, ...others])
  await run()
  assert.deepEqual(uploads, [sha1('text')])
  assert.equal(waits.length, 2)
})

test('whoever waits for an installation that cannot take it is told why', async () => {
  const { rows } = keeper()
  const [upload, create] = rows as [TestAnswer, TestAnswer]
  let refusals = 0
  const restarting: TestAnswer = {
    row: create.row,
    answer(request) {
      if (++refusals <= 2) throw new AloftError('service_unavailable', 'It is restarting.')
      return create.answer(request)
    },
  }
  const { seen, run } = await start(folderOf({ a: 'text' }), [upload, restarting])
  await run()
  const told = seen.flatMap((event) => (event.type === 'retrying' ? [event.error.message] : []))
  assert.deepEqual([...new Set(told)], ['It is restarting.'])
  assert.equal(seen.at(-1)?.type, 'ready')
})

test('a file that changes while it is uploaded is told by its name', async () => {
  const folder = folderOf({ a: 'before' })
  const { rows } = keeper()
  const { seen, run } = await start(folder, rows)
  const [upload, create] = rows as [TestAnswer, TestAnswer]
  const changing: TestAnswer = {
    row: create.row,
    answer(request) {
      writeFileSync(join(folder, 'a'), 'after')
      return create.answer(request)
    },
  }
  const { run: runChanging } = await start(folder, [upload, changing])
  await assert.rejects(runChanging(), (error) => {
    assert.ok(error instanceof DeployError)
    assert.deepEqual([error.code, error.message], ['changed', 'a changed while it was uploaded.'])
    return true
  })
  await run()
  assert.equal(seen.at(-1)?.type, 'ready')
})

test('an answer that is final ends it', async () => {
  const refusing = answers(createDeployment, () => {
    throw new AloftError('payment_required', 'This account is blocked.')
  })
  const { api, run } = await start(folderOf({ a: 'text' }), [refusing])
  await assert.rejects(run(), (error) => error instanceof ApiError && error.code === 'payment_required')
  assert.equal(api.requests.length, 1)
})

test('a build is followed over a log that breaks off, without a line lost or told twice', async () => {
  const { rows } = keeper('BUILDING')
  let opened = 0
  const sinces: unknown[] = []
  const built: TestAnswer[] = [
    answers(getDeployment, () => deployment(opened >= 2 ? 'READY' : 'BUILDING')),
    answers(readEvents, ({ query }) => {
      sinces.push(query.since)
      opened++
      const body =
        opened === 1
          ? `${lines(entry('1000000000000000001', 'one'))}{"type":"stdout","cre`
          : lines(entry('1000000000000000002', 'two'))
      return { type: 'application/stream+json', body }
    }),
  ]
  const { seen, run } = await start(folderOf({ a: 'text' }), [...rows, ...built])
  await run()
  assert.deepEqual(
    seen.flatMap((event) => (event.type === 'log' ? [event.entry.payload.text] : [])),
    ['one', 'two'],
  )
  assert.deepEqual(sinces.slice(0, 2), ['1900000000000', '1000000000000000001'])
  assert.deepEqual(
    seen.flatMap((event) => (event.type === 'state' ? [event.state] : [])),
    ['BUILDING', 'READY'],
  )
  assert.equal(seen.at(-1)?.type, 'ready')
})

test('a build that fails ends with an error, and one that is not to be followed with its creation', async () => {
  const { rows } = keeper('BUILDING')
  const failed: TestAnswer[] = [
    answers(getDeployment, () => ({ ...deployment('ERROR'), errorCode: 'build_failed' })),
    answers(readEvents, () => ({ type: 'application/stream+json', body: '\n' })),
  ]
  const folder = folderOf({ a: 'text' })
  const { seen, run } = await start(folder, [...rows, ...failed])
  await run()
  const end = seen.at(-1)
  assert.ok(end?.type === 'error' && end.deployment.errorCode === 'build_failed')
  const brief = await start(folder, rows, { follow: false })
  await brief.run()
  assert.equal(brief.seen.at(-1)?.type, 'created')
})

test('many small files go together, large ones alone', async () => {
  const { kept, uploads, batches, rows } = batchKeeper()
  const large = 'x'.repeat(100_000)
  const { seen, run } = await start(folderOf({ ...manyFiles(), large }), rows)
  await run()
  assert.deepEqual(batches, [40])
  assert.deepEqual(uploads, [sha1(large)])
  assert.equal(kept.size, 41)
  assert.equal((last(seen, 'uploaded') as { files: number }).files, 41)
})

test('an installation that knows no batches gets the files one by one', async () => {
  const { uploads, rows } = keeper()
  const { seen, run } = await start(folderOf(manyFiles()), rows)
  await run()
  assert.equal(uploads.length, 40)
  assert.equal(seen.at(-1)?.type, 'ready')
})

test('a file that changes while its batch is sent is named', async () => {
  const { rows, batches } = batchKeeper()
  const folder = folderOf(manyFiles())
  const { events } = await start(folder, rows)
  await assert.rejects(
    async () => {
      for await (const { type } of events())
        if (type === 'missing') writeFileSync(join(folder, 'f7'), 'another')
    },
    (error) => error instanceof DeployError && error.code === 'changed' && error.message.includes('f7'),
  )
  assert.deepEqual(batches, [])
})

test('it can be stopped, and whoever stops listening stops it too', async () => {
  const { rows } = keeper()
  const stop = new AbortController()
  const stopping = {
    row: uploadFile,
    answer: () => stop.abort(new Error('stopped')),
  } as unknown as TestAnswer
  const { run } = await start(folderOf({ a: 'text' }), [stopping, rows[1] as TestAnswer], {
    signal: stop.signal,
  })
  await assert.rejects(run(), /stopped/)

  const { api, events } = await start(folderOf({ a: 'text' }), rows)
  for await (const { type } of events()) if (type === 'collected') break
  assert.deepEqual(api.requests, [])
})

test('files in memory are deployed like those of a folder', async () => {
  const { rows, uploads, kept } = keeper()
  const { api, run } = await start(folderOf({ a: 'same', 'sub/c': 'other' }), rows)
  await run()
  kept.delete(sha1('other'))
  uploads.length = 0
  const client = createClient({ baseUrl: api.baseUrl, token: 'tok0123456789' })
  const file = (path: string, text: string) => ({
    path,
    size: text.length,
    bytes: () => new TextEncoder().encode(text),
  })
  const events: DeployEvent[] = []
  const files = [file('a', 'same'), file('sub/c', 'other')]
  for await (const event of deployFiles({ client, name: 'site', files, follow: false })) events.push(event)
  assert.deepEqual(uploads, [sha1('other')])
  assert.equal(events.at(-1)?.type, 'created')
  const [folder, memory] = api.requests.filter(({ body }) => 'files' in Object(body)).slice(-2)
  assert.deepEqual(memory?.body, folder?.body)

  await assert.rejects(
    deployFiles({ client, name: 'site', files: [] }).next(),
    (error) => error instanceof DeployError && error.code === 'no_files',
  )
})

const listed = (id: string) => ({
  ...{ uid: id, name: 'site', projectId: 'prj_1', url: 'site-abc.localhost', created: 1 },
  ...{ creator: { uid: 'u1' }, state: 'BUILDING' as const, meta: {} },
})

test('a new deployment whose answer was lost is found again, and not made twice', async () => {
  const { rows, kept } = keeper()
  kept.set(sha1('text'), Buffer.from('text'))
  const marks: unknown[] = []
  const made: TestAnswer[] = [
    answers(createDeployment, ({ body }) => {
      marks.push(body.meta?.aloftDeployId)
      throw new AloftError('internal_server_error', 'The answer is lost on its way.')
    }),
    answers(listDeployments, ({ query }) => ({
      deployments: query['meta-aloftDeployId'] === marks[0] ? [listed('dpl_1')] : [],
      pagination: { count: 1, next: null, prev: null },
    })),
    answers(getDeployment, () => deployment('READY')),
  ]
  const { seen, run } = await start(folderOf({ a: 'text' }), [...made, ...rows], { force: true })
  await run()
  assert.equal(marks.length, 1)
  assert.match(String(marks[0]), /^[0-9a-f]{16,}$/)
  assert.equal(last(seen, 'ready')?.type, 'ready')
})

test('a build is followed again after an installation that was away for long', async () => {
  const { rows } = keeper('BUILDING')
  let looks = 0
  const away: TestAnswer[] = [
    answers(getDeployment, () => {
      looks++
      if (looks < 40) throw new AloftError('service_unavailable', 'It is restarting.')
      return deployment('READY')
    }),
    answers(readEvents, () => {
      if (looks < 40) throw new AloftError('service_unavailable', 'It is restarting.')
      return { type: 'application/stream+json', body: lines(entry('1000000000000000001', 'one')) }
    }),
  ]
  const { api, seen, run } = await start(folderOf({ a: 'text' }), [...away, ...rows])
  await run()
  assert.equal(seen.at(-1)?.type, 'ready')
  const creations = api.requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/deployments'),
  )
  assert.equal(creations.length, 2, 'one before the upload, and one after it')
})
