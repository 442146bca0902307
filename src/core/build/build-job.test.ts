import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { PLAN_QUOTAS } from '#contract/limit/quotas.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { createGapBus } from '#test/support/gap-bus.ts'
import { sampleDeployment, sampleOutput } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { quickFolder } from '#test/support/storage/quick-folder.ts'
import type { ManifestFile } from '../deployment/file/manifest.ts'
import { createCollectJob } from '../file/collect-job.ts'
import { JobRunner } from '../job/job-runner.ts'
import type { BuildLog } from '../log/write/build-log.ts'
import type { Bus } from '../ports/bus.ts'
import { DEFAULT_BUILD_SETTINGS } from '../project/project.ts'
import { type BuildJobParts, createBuildJob, createLostBuildsJob } from './build-job.ts'
import { queueBuild } from './queue-build.ts'

const silentBus: Bus = { publish: () => {}, subscribe: () => () => {}, close: async () => {} }

interface WorldOptions {
  readonly bus?: Bus
  readonly manifest?: readonly ManifestFile[]
  readonly given?: Partial<BuildJobParts>
}

const manifest = [
  { path: 'index.html', sha256: 'a'.repeat(64), sha1: 'b'.repeat(40), size: 0, mode: 0o100644 },
]

/** With it, a build goes as far as its builder. */
const buildable = (builder: unknown) =>
  ({
    builder,
    projects: { byIdOrName: async () => ({ build: DEFAULT_BUILD_SETTINGS }) },
    vault: { open: () => '{"buildEnv":{},"env":{},"secrets":[]}' },
    blobs: { read: async () => Buffer.alloc(0) },
  }) as unknown as Partial<BuildJobParts>

/** A deployment on its way, of a project that is gone, so that the build fails at once. */
async function world(t: TestContext, { bus = silentBus, manifest = [], given = {} }: WorldOptions = {}) {
  const { stores, transact, clock } = await openStores(t, usualDatabase)
  const deployment = sampleDeployment({ state: 'BUILDING', readyAt: null })
  await stores.deployments.insert(deployment, { manifest, sealedEnv: '' })
  let failures = 0
  const told: string[] = []
  const mail = { broken: false, queued: [] as string[] }
  const parts: BuildJobParts = {
    ...{ deployments: stores.deployments, projects: stores.projects, bus, clock, atOnce: 1 },
    transact: (act) => (failures-- > 0 ? Promise.reject(new Error('no space left')) : transact(act)),
    logOf: () => ({ stdout: async (text: string) => void told.push(text) }) as unknown as BuildLog,
    onHostsChanged: () => {},
    mailsForFailed: async () => {
      if (mail.broken) throw new Error('the log cannot be read')
      return [{ to: 'ada@example.test', subject: 'Build failed', text: '', html: '' }]
    },
    queueMail: async (_jobs, { subject }) => void mail.queued.push(subject),
    quotas: { limitsById: async () => PLAN_QUOTAS.enterprise, used: async () => 0 },
    ...{ usage: stores.usage, files: stores.files },
    ...({ siteNames: async () => ({}) } as unknown as Pick<
      BuildJobParts,
      'vault' | 'builder' | 'boot' | 'siteNames' | 'blobs' | 'docker'
    >),
    ...given,
  }
  const runner = new JobRunner({
    ...{ store: stores.jobs, transact, bus, clock, log: silentLog, worker: 'w' },
    handlers: [createBuildJob(parts)],
  })
  t.after(() => runner.drain(0))
  const lost = createLostBuildsJob(parts)
  return {
    ...{ runner, clock, told, mail, stores },
    delete: () => stores.deployments.delete(deployment.id, clock.now()),
    queue: () => queueBuild(stores.jobs, deployment),
    find: () => stores.deployments.find(deployment.id),
    failNext: (count: number) => {
      failures = count
    },
    settle: () =>
      lost.run({}, { id: 'job', attempt: 1, signal: new AbortController().signal, log: silentLog }),
  }
}

test('a failure is recorded, however often that fails', async (t) => {
  const { runner, clock, queue, find, failNext } = await world(t)
  await queue()
  failNext(6)
  for (let n = 0; n < 6; n++) {
    await runner.idle()
    assert.notEqual((await find())?.state, 'ERROR')
    clock.advance(HOUR)
  }
  await runner.idle()
  assert.equal((await find())?.state, 'ERROR')
})

test('a build that no job does any more ends, and says so', async (t) => {
  const { queue, find, settle, told } = await world(t)
  await queue()
  await settle()
  assert.equal((await find())?.state, 'BUILDING', 'its job is still to come')
  const orphan = await world(t)
  await orphan.settle()
  const { state, failure } = (await orphan.find()) ?? {}
  assert.deepEqual([state, failure?.code], ['ERROR', 'build_aborted'])
  assert.deepEqual([told, orphan.told], [[], ['Error: The build was lost. Deploy again.']])
})

test('whoever deployed is told once, and a build fails even where nobody can be told', async (t) => {
  const told = await world(t)
  await told.queue()
  told.failNext(1)
  await told.runner.idle()
  assert.deepEqual(told.mail.queued, [], 'not before the failure is recorded')
  told.clock.advance(HOUR)
  await told.runner.idle()
  assert.deepEqual(told.mail.queued, ['Build failed'])
  const mute = await world(t)
  mute.mail.broken = true
  await mute.queue()
  await mute.runner.idle()
  assert.deepEqual([(await mute.find())?.state, mute.mail.queued], ['ERROR', []])
})

test('a build that nobody wants any more ends, though the news of it was missed', async (t) => {
  const { bus, announceGap } = createGapBus()
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const builder = {
    build: ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve()
          reject(signal.reason)
        })
        begun.resolve()
      }),
  }
  const given = buildable(builder)
  const { queue, runner, told, ...made } = await world(t, { bus, manifest, given })
  await queue()
  const idle = runner.idle()
  assert.ok(await Promise.race([begun.promise.then(() => true), idle.then(() => false)]))
  await made.delete()
  announceGap()
  await ended.promise
  await idle
  assert.deepEqual(told, [])
})

test('a build whose contents a clock far ahead has had collected is done once more', async (t) => {
  const folder = await mkdtemp(join(quickFolder, 'aloft-build-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  let builds = 0
  const step = { afterStoring: async () => {} }
  const builder = {
    build: async () => {
      builds++
      const { sha1, sha256, size } = await blobs.putBytes(Buffer.from('made by the build'))
      await step.afterStoring()
      return sampleOutput({
        ...{ routes: undefined, functions: [], programs: [] },
        files: [{ path: 'index.html', sha1, sha256, size }],
      })
    },
  }
  const given = buildable(builder)
  const { queue, runner, clock, stores, find } = await world(t, { manifest, given })
  const blobs = await createFsBlobStore({ folder, clock, log: silentLog })
  t.after(() => blobs.close())
  Object.assign(given.blobs ?? {}, { stat: blobs.stat.bind(blobs) })
  const collect = createCollectJob({ ...stores, blobs, clock })
  step.afterStoring = async () => {
    clock.jump(25 * HOUR)
    await collect.run({}, { id: 'job', attempt: 1, signal: new AbortController().signal, log: silentLog })
  }
  const stored = async () => {
    const files = (await stores.outputs.find((await find())?.id ?? ''))?.files ?? []
    return (await blobs.stat(files.map(({ sha256 }) => sha256))).size
  }
  await queue()
  await runner.idle()
  assert.deepEqual([(await find())?.state, await stored(), builds], ['DEPLOYING', 0, 1])
  assert.equal(await stores.files.countDamaged(), 1, 'the account does not have what is gone')
  step.afterStoring = async () => {}
  clock.advance(MINUTE)
  await runner.idle()
  assert.deepEqual([(await find())?.state, await stored(), builds], ['READY', 1, 2])
  assert.equal(await stores.files.countDamaged(), 0)
})
