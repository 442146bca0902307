import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Booted, RunnerError } from '#core/ports/runner.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleDeployment, sampleOutput } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Output, Program } from '../output/output.ts'
import { createMarkCrashed, createReviveJob, REVIVE_JOB } from './crash-loop.ts'

async function world(t: TestContext, change: (output: Output) => Partial<Output>) {
  const opened = await openStores(t, usualDatabase)
  const { stores, transact, clock } = opened
  const deployment = sampleDeployment()
  const output = sampleOutput()
  await stores.deployments.insert(deployment, { manifest: [], sealedEnv: '' })
  await stores.outputs.save(deployment.id, { ...output, ...change(output) })
  const told: string[] = []
  const onHostsChanged = (hosts: readonly string[]) => void told.push(...hosts)
  const crashed = createMarkCrashed({ ...stores, transact, clock, onHostsChanged })
  let booted: () => Promise<Booted> = async () => ({ listening: true })
  const job = createReviveJob({ ...stores, clock, onHostsChanged, boot: () => booted() })
  const ref = { deploymentId: deployment.id, program: (output.programs[0] as Program).id }
  return {
    ...{ clock, told },
    crash: () => crashed(ref, 'exit code 1'),
    find: () => stores.deployments.find(deployment.id),
    delete: () => stores.deployments.delete(deployment.id, 1),
    claim: (now: number) =>
      stores.jobs.claim({ kinds: [REVIVE_JOB], worker: 'w', now, leaseUntil: now + 1, limit: 10 }),
    revive: (boot: () => Promise<Booted>) => {
      booted = boot
      const run = { id: 'job', attempt: 1, signal: new AbortController().signal, log: silentLog }
      return job.run({ ...ref }, run)
    },
  }
}

/** Nothing but a program that listens. */
const alone = ({ programs }: Output): Partial<Output> => ({
  files: [],
  programs: programs.slice(0, 1).map((program) => ({ ...program, shape: 'command' })),
})

test('crashes of a function are no concern of its deployment', async (t) => {
  for (const change of [
    () => ({}),
    (output: Output) => ({ ...alone(output), programs: output.programs.slice(0, 1) }),
    (output: Output) => ({ ...alone(output), files: output.files }),
  ]) {
    const { crash, find, told, claim, clock } = await world(t, change)
    await crash()
    const { state, failure } = (await find()) ?? {}
    assert.deepEqual([state, failure, told], ['READY', null, []])
    assert.deepEqual(await claim(clock.now() + 1e9), [])
  }
})

test('a program that is the whole deployment fails it, and is served again once it starts', async (t) => {
  const { crash, find, told, claim, clock, revive } = await world(t, alone)
  await crash()
  const failed = await find()
  assert.deepEqual([failed?.state, failed?.failure?.code], ['ERROR', 'crash_loop'])
  assert.match(failed?.failure?.message ?? '', /exit code 1/)
  assert.deepEqual(told, ['*'])
  await crash()
  assert.deepEqual(told, ['*'], 'only once')
  assert.deepEqual(await claim(clock.now()), [], 'not at once')
  assert.equal((await claim(clock.now() + 60_000)).length, 1)

  await assert.rejects(revive(() => Promise.reject(new RunnerError('crashed', 'again'))))
  await assert.rejects(revive(async () => ({ finished: 1 })))
  assert.equal((await find())?.state, 'ERROR')
  await revive(async () => ({ listening: true }))
  const healed = await find()
  assert.deepEqual([healed?.state, healed?.failure], ['READY', null])
  assert.deepEqual(told, ['*', '*'])
})

test('one that was deleted or is served by now is not started', async (t) => {
  const { crash, revive, delete: remove } = await world(t, alone)
  const never = () => Promise.reject(new Error('started'))
  await revive(never)
  await crash()
  await remove()
  await revive(never)
})
