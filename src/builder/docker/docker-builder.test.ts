import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { it } from 'node:test'
import { extract } from 'tar-stream'
import {
  builtBy,
  type Files,
  manifestOf,
  plannedTask,
  runOf,
  type TaskChanges,
} from '#core/detection/plan-testing.ts'
import { type BlobDigest, BlobError } from '#core/ports/blob-store.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { ImageTask } from '#core/ports/image-builder.ts'
import type { ContextStore } from './context.ts'
import { createDockerBuilder } from './docker-builder.ts'

const DOCKER = builtBy(runOf('@aloft/docker', 'Dockerfile'))

/** Builds with images that take no time, and with all contents in memory. */
async function build(
  files: Files,
  changes: TaskChanges & { readonly secrets?: readonly string[] } = {},
  make: (task: ImageTask) => unknown = () => {},
) {
  const { files: manifest, read } = manifestOf(files)
  const stored = new Map<string, Buffer>()
  for (const file of manifest) stored.set(file.sha256, (await read(file)) as Buffer)
  const blobs: ContextStore = {
    read: async (sha256) => stored.get(sha256),
    open: async (sha256) => Readable.from([stored.get(sha256) as Buffer]),
    async put(source, { maxBytes }): Promise<BlobDigest> {
      const bytes = await buffer(source)
      if (bytes.length > maxBytes) throw new BlobError('too_large', 'too large')
      const digest = (name: string) => createHash(name).update(bytes).digest('hex')
      stored.set(digest('sha256'), bytes)
      return { sha1: digest('sha1'), sha256: digest('sha256'), size: bytes.length }
    },
  }
  const tasks: ImageTask[] = []
  const logged: string[] = []
  const images = {
    async build(task: ImageTask) {
      tasks.push(task)
      await make(task)
    },
  }
  const write = async (line: string) => void logged.push(line)
  const task = {
    ...(await plannedTask(manifest, read, { deployment: DOCKER, docker: true, ...changes })),
    secrets: changes.secrets ?? [],
  }
  const output = await createDockerBuilder({ images, blobs }).build(task, {
    log: () => ({ command: (line) => write(`$ ${line}`), stdout: write }),
    began: async (run) => write(`began ${run}`),
    ended: async (run) => write(`ended ${run}`),
  })
  return { output, tasks, logged, contents: (sha256: string) => untar(stored.get(sha256) as Buffer) }
}

async function untar(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const reader = extract()
  reader.end(bytes)
  for await (const entry of reader) found[entry.header.name] = (await buffer(entry)).toString()
  return found
}

it('makes a program of a Dockerfile and the files around it', async () => {
  const { output, tasks, logged, contents } = await build(
    {
      Dockerfile: 'FROM x\nARG WORD\nARG https_proxy',
      '.dockerignore': 'Dockerfile\n*.md',
      'aloft.json': { env: { MODE: 'fast' }, build: { env: { WORD: 'filed' } } },
      ...{ 'a.md': 'a', 'b.txt': 'b' },
    },
    { env: { OTHER: '1', https_proxy: 'http://there' } },
    ({ onOutput }) => onOutput('Step 1\nStep 2'),
  )
  const [program] = output.programs
  assert.ok(program)
  assert.deepEqual(
    { ...program, id: '', archive: '' },
    {
      ...{ id: '', runtime: 'docker', version: '', shape: 'command', entry: 'Dockerfile', archive: '' },
      ...{ fileCount: 4, memoryMb: 1024, maxDuration: 60, env: { MODE: 'fast' } },
    },
  )
  assert.deepEqual(Object.keys(await contents(program.archive.sha256)), [
    '.dockerignore',
    'Dockerfile',
    'aloft.json',
    'b.txt',
  ])
  assert.deepEqual(tasks[0]?.args, { WORD: 'filed' })
  assert.deepEqual(tasks[0]?.program, program)
  assert.deepEqual(output.functions, [{ path: 'index', program: program.id }])
  assert.deepEqual(logged, [
    'began bld_1',
    '$ docker build -f Dockerfile .',
    'Step 1',
    'Step 2',
    'ended bld_1',
  ])
})

it('makes the same archive of the same files', async () => {
  const one = await build({ Dockerfile: 'FROM x', a: '1', b: '2' })
  const two = await build({ b: '2', a: '1', Dockerfile: 'FROM x' })
  assert.deepEqual(one.output, two.output)
})

it('takes a deployment of an older client by its type', async () => {
  const deployment = { type: 'DOCKER', builds: [], buildRuns: [runOf('@aloft/static', '**')] } as const
  const { output } = await build({ Dockerfile: 'FROM x', 'index.html': '' }, { deployment })
  assert.equal(output.functions.length, 1)
  assert.deepEqual(output.files, [])
  await assert.rejects(build({ 'index.html': '' }, { deployment }), {
    code: 'unreferenced_build_specifications',
  })
})

it('has each Dockerfile answer below its own folder, beside files', async () => {
  const deployment = builtBy(
    runOf('@aloft/docker', 'Dockerfile', { memory: 256 }, 'bld_1'),
    runOf('@aloft/docker', 'api.v1/Dockerfile', {}, 'bld_2'),
    runOf('@aloft/static', 'public/**', {}, 'bld_3'),
  )
  const { output, tasks, contents } = await build(
    { Dockerfile: 'FROM a', 'api.v1/Dockerfile': 'FROM b', 'api.v1/x': 'x', 'public/a.css': 'a' },
    { deployment },
  )
  assert.deepEqual(output.routes, [
    { handle: 'filesystem' },
    { src: '^/api\\.v1(?:/(.*))?$', dest: '/api.v1/index' },
    { src: '^/(.*)$', dest: '/index' },
  ])
  assert.deepEqual(
    output.files.map(({ path }) => path),
    ['public/a.css'],
  )
  assert.deepEqual(
    tasks.map(({ program }) => program.memoryMb),
    [256, 1024],
  )
  assert.deepEqual(await contents(tasks[1]?.program.archive.sha256 ?? ''), { Dockerfile: 'FROM b', x: 'x' })
})

it('refuses builders beside it whose output needs another place', async () => {
  const deployment = builtBy(runOf('@aloft/docker', 'Dockerfile'), runOf('@aloft/node', 'a.js', {}, 'bld_2'))
  await assert.rejects(build({ Dockerfile: 'FROM x', 'a.js': '' }, { deployment }), {
    code: 'mixed_builds',
    run: 'bld_2',
  })
})

it('shows no secret, neither in the log nor in a failure', async () => {
  const logged: string[] = []
  const failing = build({ Dockerfile: 'FROM x' }, { secrets: ['hush-hush'] }, async ({ onOutput }) => {
    await onOutput('it is hush-')
    await onOutput('hush\n')
    throw new BuildFailure('build_failed', 'because of hush-hush')
  })
  await assert.rejects(failing, { code: 'build_failed', message: 'because of [redacted]', run: 'bld_1' })
  const { logged: log } = await build({ Dockerfile: 'FROM x' }, { secrets: ['hush-hush'] }, ({ onOutput }) =>
    onOutput('it is hush-hush\n'),
  )
  logged.push(...log)
  assert.ok(logged.includes('it is [redacted]'))
})

it('ends with the reason of its signal', async () => {
  const stopping = new AbortController()
  const building = build({ Dockerfile: 'FROM x' }, { signal: stopping.signal }, () => {
    stopping.abort(new Error('enough'))
    throw new BuildFailure('build_failed', 'whatever')
  })
  await assert.rejects(building, /enough/)
})
