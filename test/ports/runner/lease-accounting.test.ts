import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { LaunchedRuntime } from '#adapters/runner-process/launch/launch.ts'
import { createUnsandboxed } from '#adapters/sandbox-bwrap/unsandboxed.ts'
import { MINUTE } from '#contract/time.ts'
import type { Lease } from '#core/ports/runner.ts'
import type { SandboxExit } from '#core/ports/sandbox.ts'
import { openWorkbench } from './workbench.ts'

/** Instances without a process: they are ready at once, end when they are told, and crash when the test says so. */
function createFakes(wasLost?: (socket: string) => Promise<boolean>) {
  const alive = new Map<string, { crash(): void }>()
  let count = 0
  const launchContainer = async (): Promise<LaunchedRuntime> => {
    const socket = `/nowhere/${count++}.sock`
    const ended = Promise.withResolvers<SandboxExit | undefined>()
    const end = (code: number) => {
      alive.delete(socket)
      ended.resolve({ code, reason: 'exited' })
    }
    alive.set(socket, { crash: () => end(9) })
    const led: LaunchedRuntime = {
      ...{ socket, task: undefined, root: undefined, cache: undefined, listener: undefined },
      exit: ended.promise,
      control: {
        send(message) {
          const { type } = message as { type: string }
          const answer = type === 'load' ? 'ready' : type === 'ping' ? 'pong' : undefined
          if (answer) setImmediate(() => led.listener?.message({ type: answer }))
        },
      },
      output: () => ({ stdout: Readable.from([]), stderr: Readable.from([]) }),
      ...(wasLost && { wasLost: () => wasLost(socket) }),
      stop: () => end(0),
      kill: () => end(137),
    }
    return led
  }
  return { alive, launchContainer }
}

type Step =
  | { readonly do: 'lease'; readonly by: 0 | 1; readonly count: number }
  | { readonly do: 'release'; readonly which: number; readonly end: 'broken' | 'stuck' | undefined }
  | { readonly do: 'abort' | 'crash'; readonly which: number }
  | { readonly do: 'scale'; readonly min: number; readonly max: number }
  | { readonly do: 'leave' }
  | { readonly do: 'wait' | 'idle'; readonly ms: number }

const which = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant('lease' as const), by: fc.constantFrom(0 as const, 1 as const) },
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant('release' as const), which },
      end: fc.constantFrom(undefined, 'broken' as const, 'stuck' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('abort' as const, 'crash' as const), which }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(2), fc.nat(2))
      .map(([min, more]) => ({ do: 'scale' as const, min, max: min + more })),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'leave' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('wait' as const, 'idle' as const), ms: fc.nat(30) }),
  },
)

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Does the steps, gives everything back, and waits until nothing runs. */
async function live(t: Pick<TestContext, 'after'>, steps: readonly Step[]): Promise<void> {
  const { alive, launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), {
    launchContainer,
    limits: { commandConcurrency: 2 },
  })
  const ref = await bench.deploy({
    ...{ runtime: 'docker', shape: 'command', files: {}, scale: { min: 0, max: 2 } },
  })
  const clients = [bench.client, bench.connect()]
  const held: Lease[] = []
  const waiting = new Map<AbortController, Promise<void>>()
  for (const each of steps)
    switch (each.do) {
      case 'lease':
        for (let n = 0; n < each.count; n++) {
          const gone = new AbortController()
          const asked = async () => clients[each.by]?.lease(ref, { signal: gone.signal })
          const done = asked()
            .then(
              (lease) => void (lease && held.push(lease)),
              () => {},
            )
            .finally(() => waiting.delete(gone))
          waiting.set(gone, done)
        }
        break
      case 'release':
        held.splice(each.which % (held.length || 1), 1)[0]?.release(each.end)
        break
      case 'abort':
        ;[...waiting.keys()][each.which % (waiting.size || 1)]?.abort(new Error('gone'))
        break
      case 'crash':
        ;[...alive.values()][each.which % (alive.size || 1)]?.crash()
        break
      case 'scale':
        bench.host.scale(ref.deploymentId, each, [ref.program])
        break
      case 'leave':
        // A serving process dies, and another comes in its place.
        clients[1]?.close()
        clients[1] = bench.connect()
        break
      case 'idle':
        bench.clock.advance(20 * MINUTE)
        await pass(each.ms)
        break
      case 'wait':
        await pass(each.ms)
    }
  for (const gone of waiting.keys()) gone.abort(new Error('gone'))
  await Promise.all(waiting.values())
  for (const lease of held) lease.release()
  bench.host.scale(ref.deploymentId, { min: 0, max: 2 })
  while (bench.host.list(ref.deploymentId).length + alive.size + bench.stored.size > 0) {
    bench.clock.advance(MINUTE)
    await pass(5)
  }
}

test('whatever happens to requests, instances and processes, a program freezes when nobody uses it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const after: (() => unknown)[] = []
      await Promise.race([
        live({ after: (act) => void after.push(act as () => unknown) }, steps),
        pass(20_000).then(() => assert.fail('it never freezes')),
      ])
      for (const act of after) await act()
    }),
    { numRuns: 40, endOnFailure: true },
  )
})

test('tells whether an instance was lost with its node, to each who asks, and has it used again', async (t) => {
  const answers: { readonly socket: string; readonly say: (isLost: boolean) => void }[] = []
  const { alive, launchContainer } = createFakes(
    (socket) => new Promise((say) => answers.push({ socket, say })),
  )
  const bench = await openWorkbench(t, createUnsandboxed(), {
    launchContainer,
    limits: { commandConcurrency: 1 },
  })
  const ref = await bench.deploy({
    ...{ runtime: 'docker', shape: 'command', files: {}, scale: { min: 0, max: 2 } },
  })
  const [lost, cut] = [await bench.client.lease(ref), await bench.client.lease(ref)]
  assert.notEqual(lost.socket, cut.socket)
  const fates: Promise<boolean | undefined>[] = []
  for (const lease of [lost, cut]) {
    lease.release('broken')
    fates.push(Promise.resolve(lease.isHostLost?.()))
  }
  while (answers.length < 2) await pass(1)
  // Whoever is looked into for longer is not answered by what came of the other.
  for (const { socket, say } of answers.toReversed()) say(socket === lost.socket)
  assert.deepEqual(await Promise.all(fates), [true, false])
  const again = await bench.client.lease(ref, { instance: lost.instanceId })
  assert.equal(again.socket, lost.socket)
  assert.equal(alive.size, 2)
  again.release()
})

test('a host that drains lets go of those who have no request there, however long its instances take to end', async (t) => {
  const ends: (() => void)[] = []
  const { launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), {
    async launchContainer() {
      const led = await launchContainer()
      const { stop } = led
      return Object.assign(led, { stop: () => void ends.push(() => stop(0)) })
    },
  })
  const ref = await bench.deploy({ files: {}, runtime: 'docker', scale: { min: 0, max: 1 } })
  const [busy, idle] = [bench.connect(), bench.connect()]
  const [held, before] = [await busy.lease(ref), await idle.lease(ref)]
  before.release()
  const drained = bench.host.drain(60_000)
  await bench.succeed()
  const after = await idle.lease(ref)
  assert.notEqual(after.instanceId, before.instanceId)
  after.release()
  held.release()
  // Now whoever had a request is let go as well, and the instance is told to end.
  const next = await busy.lease(ref)
  assert.notEqual(next.instanceId, held.instanceId)
  next.release()
  while (ends.length === 0) await new Promise(setImmediate)
  for (const end of ends) end()
  await drained
})

test('starts what waited for its account to end something on another machine', {
  timeout: 5000,
}, async (t) => {
  const { launchContainer } = createFakes()
  let count = 1
  const bench = await openWorkbench(t, createUnsandboxed(), {
    launchContainer,
    allowance: async () => ({ instances: 1, memoryMb: null, elsewhere: { count, memoryMb: 0 } }),
  })
  const ref = await bench.deploy({ files: {}, runtime: 'docker' })
  const waiting = bench.client.lease(ref)
  await pass(50)
  assert.equal(bench.host.list(ref.deploymentId).length, 0)
  count = 0
  const lease = await waiting
  lease.release()
})

test('a host that drains waits for no start that its account has no room for', {
  timeout: 5000,
}, async (t) => {
  const { launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), {
    launchContainer,
    allowance: async () => ({ instances: 1, memoryMb: null, elsewhere: { count: 1, memoryMb: 0 } }),
  })
  const ref = await bench.deploy({ files: {}, runtime: 'docker' })
  const gone = new AbortController()
  const waiting = Promise.resolve(bench.client.lease(ref, { signal: gone.signal })).catch(() => {})
  await pass(50)
  await bench.host.drain(0)
  gone.abort()
  await waiting
})

test('writes the list of instances once it can be written again', { timeout: 5000 }, async (t) => {
  const { alive, launchContainer } = createFakes()
  const listed = new Set<string>()
  let isDown = true
  const write = async (act: () => unknown) => {
    if (isDown) throw new Error('The database is down')
    act()
  }
  const bench = await openWorkbench(t, createUnsandboxed(), {
    launchContainer,
    instances: {
      add: ({ id }) => write(() => listed.add(id)),
      remove: (id) => write(() => listed.delete(id)),
      clear: async () => listed.clear(),
      ofDeployment: async () => [],
      ofOwner: async () => ({ count: 0, memoryMb: 0 }),
      counts: async () => new Map(),
    },
  })
  const ref = await bench.deploy({ files: {}, runtime: 'docker', scale: { min: 0, max: 1 } })
  const lease = await bench.client.lease(ref)
  lease.release()
  // Until the host has heard that nobody waits.
  await pass(200)
  isDown = false
  while (listed.size === 0) await pass(5)
  assert.deepEqual([...listed], [lease.instanceId])
  isDown = true
  for (const each of alive.values()) each.crash()
  while (bench.host.list(ref.deploymentId).length > 0) await pass(1)
  await pass(30)
  isDown = false
  while (listed.size > 0) await pass(5)
})

test('has a request for a certain instance wait while that is looked into', { timeout: 5000 }, async (t) => {
  const { launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), { launchContainer })
  const ref = await bench.deploy({ files: {}, runtime: 'docker' })
  const lease = await bench.client.lease(ref)
  lease.release('broken')
  const again = await bench.client.lease(ref, { instance: lease.instanceId })
  assert.equal(again.instanceId, lease.instanceId)
  again.release('broken')
  const waiting = [1, 2].map(async () => bench.client.lease(ref, { instance: lease.instanceId }))
  for (const one of await Promise.all(waiting)) one.release()
})

test('an instance freezes however often serving processes come and go that asked nothing of it', {
  timeout: 5000,
}, async (t) => {
  const { alive, launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), { launchContainer })
  const ref = await bench.deploy({ files: {}, runtime: 'docker' })
  const lease = await bench.client.lease(ref)
  lease.release()
  await pass(150)
  bench.clock.advance(4 * MINUTE)
  const other = bench.connect()
  await pass(30)
  other.close()
  await pass(30)
  bench.clock.advance(2 * MINUTE)
  while (alive.size > 0) await pass(5)
})

test('starts another for texts that no instance has room for, and keeps the others where they were', {
  timeout: 5000,
}, async (t) => {
  const { launchContainer } = createFakes()
  const bench = await openWorkbench(t, createUnsandboxed(), { launchContainer, limits: { concurrency: 1 } })
  const ref = await bench.deploy({ files: {}, runtime: 'docker', scale: { min: 0, max: 2 } })
  const first = await bench.client.lease(ref, { affinity: 'one' })
  const second = await bench.client.lease(ref, { affinity: 'two' })
  assert.notEqual(second.instanceId, first.instanceId)
  const again = await bench.client.lease(ref, { affinity: 'one' })
  assert.equal(again.instanceId, first.instanceId)
  // There will be no third.
  const third = await bench.client.lease(ref, { affinity: 'three' })
  for (const lease of [first, second, again, third]) lease.release()
})
