import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE } from '#contract/time.ts'
import { createChannelPair } from '#test/support/process/channel-pair.ts'
import type { Channel } from '../ipc/channel.ts'
import { createIpcLimiter } from './ipc-limiter.ts'
import { MachineLimiter } from './machine-limiter.ts'
import { alone } from './messages.ts'
import { createServingLimiter } from './serving-limiter.ts'

const window = { points: 3, ms: MINUTE }
const options = { timeout: MINUTE }

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A process as the supervisor sees it, and what it counts with. */
async function start(machine: MachineLimiter, createLimiter = createServingLimiter) {
  const [toChild, toSupervisor] = createChannelPair()
  const asked: unknown[] = []
  toChild.onMessage((message) => void asked.push(message))
  const end = machine.attach(toChild)
  const limiter = createLimiter(toSupervisor, options)
  await turn()
  asked.length = 0
  return { toChild, limiter, end, asked }
}

const remaining = async ({ limiter }: Awaited<ReturnType<typeof start>>) =>
  (await limiter.take('ann', window)).remaining

test('one that serves alone asks nobody, though another counts with it', async () => {
  const machine = new MachineLimiter()
  const [serving, working] = [await start(machine), await start(machine)]
  machine.moveTo(serving.toChild)
  machine.share()
  await turn()
  assert.equal(await remaining(serving), 2)
  assert.deepEqual(serving.asked, [])
  assert.equal(await remaining(working), 1)
  assert.equal(await remaining(serving), 0)
  assert.equal((await working.limiter.take('ann', window)).allowed, false)
})

test('counts are here while several serve, and with the last one again', async () => {
  const machine = new MachineLimiter()
  const [first, second, working] = [await start(machine), await start(machine), await start(machine)]
  machine.moveTo(first.toChild)
  await turn()
  assert.equal(await remaining(first), 2)
  machine.moveHere()
  await turn()
  assert.equal(await remaining(second), 1)
  assert.equal(await remaining(first), 0)
  machine.moveTo(second.toChild)
  await turn()
  assert.equal((await second.limiter.take('ann', window)).allowed, false)
  assert.equal(second.asked.length, 1)
  assert.equal((await working.limiter.take('ann', window)).allowed, false)
})

test('what is asked while the counts move is counted once', async () => {
  for (let turns = 0; turns < 6; turns++) {
    const machine = new MachineLimiter()
    const [serving, working] = [await start(machine), await start(machine)]
    machine.moveTo(serving.toChild)
    await turn()
    await remaining(serving)
    const asked = remaining(working)
    for (let n = 0; n < turns; n++) await turn()
    machine.moveHere()
    await asked
    await turn()
    assert.equal(await remaining(serving), 0, `after ${turns} turns`)
  }
})

test('when the one that counts has ended, others count here', async () => {
  const machine = new MachineLimiter()
  const [serving, working] = [await start(machine), await start(machine)]
  machine.moveTo(serving.toChild)
  await turn()
  serving.end()
  assert.equal(await remaining(working), 2)
  assert.equal(await remaining(working), 1)
})

test('one of the version before, which answers nobody, counts alone only until another counts too', async () => {
  const older = (channel: Channel) => {
    channel.onMessage(() => {})
    return createIpcLimiter(channel, options)
  }
  const machine = new MachineLimiter()
  const [serving, working] = [await start(machine, older), await start(machine)]
  const told: unknown[] = []
  serving.toChild.send = (message) => void told.push(message)
  machine.moveTo(serving.toChild)
  machine.share()
  assert.deepEqual(told.slice(1), [alone(true), alone(false)])
  assert.equal(await remaining(working), 2)
  machine.moveTo(serving.toChild)
  assert.equal(told.length, 3)
})
