import assert from 'node:assert/strict'
import { readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { findTools } from '#adapters/sandbox-bwrap/tools.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'
import { Gateway, type GatewayTools } from './gateway.ts'

test('that a gateway was killed is seen before anybody was told of it', { skip: rootMissing }, async (t) => {
  const tools = (await findTools()) as unknown as GatewayTools
  const gateway = await Gateway.open({ tools, destinations: createDestinations(), userns: false, ports: [] })
  t.after(() => gateway.close())
  assert.equal(await gateway.hasEnded(), false)
  process.kill(gateway.pid, 'SIGKILL')
  // Not a turn of the event loop is over meanwhile, so that its end is not told here.
  const isThere = () => {
    try {
      return readlinkSync(`/proc/${gateway.pid}/ns/net`)
    } catch {
      return undefined
    }
  }
  while (isThere() !== undefined);
  assert.equal(gateway.ended, false)
  assert.equal(await gateway.hasEnded(), true)
  assert.equal(gateway.ended, true)
})
