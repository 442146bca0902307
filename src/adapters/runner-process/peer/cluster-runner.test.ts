import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lease, type LeaseOptions, RunnerError } from '#core/ports/runner.ts'
import { createClusterRunner, MachineLost, type MachineRunner, type OtherMachine } from './cluster-runner.ts'

const REF = { deploymentId: 'dpl_1', program: 'api' }

interface Scripted extends MachineRunner {
  isConnected: boolean
  instances: string[]
  fails: RunnerError | undefined
}

function machine(name: string): Scripted {
  const lease = (instanceId: string): Lease => ({ instanceId, socket: instanceId, release() {} })
  const runner: Scripted = {
    isConnected: true,
    instances: [],
    fails: undefined,
    hasInstance: () => runner.instances.length > 0,
    async lease(_ref, options: LeaseOptions = {}) {
      if (runner.fails) throw runner.fails
      if (options.instance !== undefined && !runner.instances.includes(options.instance))
        throw new RunnerError('absent', 'not here')
      return lease(options.instance ?? `${name}-1`)
    },
    leave() {},
    close() {},
  }
  return runner
}

function world({ waitMs }: { readonly waitMs?: number } = {}) {
  const own = machine('own')
  const [a, b] = [machine('a'), machine('b')]
  const others: (OtherMachine & { load: number; origin: string })[] = [
    { name: 'a', origin: 'iad1', load: 0.5, runner: a },
    { name: 'b', origin: 'iad1', load: 0.2, runner: b },
  ]
  const state = { isDraining: false }
  const runner = createClusterRunner({
    ...{ own, origin: 'iad1', others: () => others },
    isDraining: () => state.isDraining,
    ...(waitMs !== undefined && { waitMs }),
  })
  const where = async (options?: LeaseOptions) => (await runner.lease(REF, options)).instanceId
  return { own, a, b, others, state, runner, where }
}

test('a machine that runs functions uses its own', async () => {
  const { where } = world()
  assert.equal(await where(), 'own-1')
})

test('one that runs none, or is to be left alone, uses the machine with least to do', async () => {
  const { own, where, state, a } = world()
  state.isDraining = true
  assert.equal(await where(), 'b-1')
  state.isDraining = false
  own.isConnected = false
  assert.equal(await where(), 'b-1')
  a.instances.push('a-1')
  assert.equal(await where(), 'a-1', 'an instance that runs comes before one that has to be started')
})

test('requests are spread', async () => {
  const { own, runner } = world()
  own.isConnected = false
  const leases = await Promise.all(Array.from({ length: 100 }, () => runner.lease(REF)))
  const onA = leases.filter(({ instanceId }) => instanceId === 'a-1').length
  assert.ok(onA > 30 && onA < 60, `${onA} of 100`)
  for (const lease of leases) lease.release()
  assert.equal((await runner.lease(REF)).instanceId, 'b-1', 'what is over counts no more')
})

test('requests that belong together go to one machine, whatever its load', async () => {
  const { own, where, others } = world()
  own.isConnected = false
  const first = await where({ affinity: 'session' })
  for (const other of others) other.load = Math.random()
  for (let n = 0; n < 20; n += 1) assert.equal(await where({ affinity: 'session' }), first)
})

test('a certain instance is found wherever it is', async () => {
  const { where, a } = world()
  a.instances.push('moved')
  assert.equal(await where({ instance: 'moved' }), 'moved')
  await assert.rejects(where({ instance: 'gone' }), { fault: 'absent' })
})

test('where a machine is gone the next one is asked, but a program that crashes does so once', async () => {
  const { own, b, where } = world()
  own.fails = new RunnerError('unavailable', 'gone')
  b.fails = new RunnerError('unavailable', 'gone too')
  assert.equal(await where(), 'a-1')
  own.fails = new RunnerError('crashed', 'it ends while it starts')
  await assert.rejects(where(), { fault: 'crashed' })
})

test('machines of the wanted regions come first, then this one, then the others', async () => {
  const { own, a, b, others, where } = world()
  for (const other of others) if (other.name === 'a') other.origin = 'hnd1'
  assert.equal(await where({ regions: ['hnd1'] }), 'a-1', 'this machine is in another region')
  assert.equal(await where({ regions: ['hnd1', 'iad1'] }), 'own-1', 'this machine is in one of them')
  assert.equal(await where({ regions: ['bru1'] }), 'own-1', 'no machine is in it')
  a.fails = new RunnerError('unavailable', 'gone')
  assert.equal(await where({ regions: ['hnd1'] }), 'own-1', 'the only one there is does not answer')
  own.isConnected = false
  assert.equal(await where({ regions: ['hnd1'] }), 'b-1')
  a.fails = undefined
  a.isConnected = false
  assert.equal(await where({ regions: ['hnd1'] }), 'b-1', 'nobody there is connected')
  b.isConnected = false
  a.isConnected = true
  own.isConnected = true
  own.instances.push('certain')
  assert.equal(await where({ regions: ['hnd1'], instance: 'certain' }), 'certain')
})

test('while all machines are lost, a request waits for the first that comes back', async () => {
  const { own, a, b, where } = world()
  own.isConnected = false
  a.isConnected = false
  // It is lost while the request waits there.
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const lease = b.lease
  b.lease = async () => {
    b.isConnected = false
    ask()
    throw new MachineLost()
  }
  const first = where()
  await asked
  const second = where()
  b.lease = lease
  b.isConnected = true
  assert.deepEqual(await Promise.all([first, second]), ['b-1', 'b-1'])
})

test('one that answers that it cannot is not asked again, and neither is one that stays away', async () => {
  const { own, a, b, others, where } = world({ waitMs: 0 })
  own.isConnected = false
  for (const each of [a, b]) each.fails = new RunnerError('unavailable', 'no room')
  await assert.rejects(where(), /no room/)
  for (const each of [a, b]) each.isConnected = false
  own.fails = new RunnerError('unavailable', 'this machine was waited for')
  await assert.rejects(where(), /Nothing runs programs at the moment/)
  others.length = 0
  await assert.rejects(where(), /this machine was waited for/)
})

test('nobody waits for a request whose visitor is gone', async () => {
  const { own, a, b, where } = world()
  for (const each of [own, a, b]) each.isConnected = false
  const gone = new AbortController()
  const waiting = where({ signal: gone.signal })
  gone.abort()
  b.isConnected = true
  b.fails = new RunnerError('unavailable', 'asked all the same')
  own.fails = new RunnerError('unavailable', 'gone')
  await assert.rejects(waiting, /gone/)
})
