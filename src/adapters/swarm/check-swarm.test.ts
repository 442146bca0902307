import assert from 'node:assert/strict'
import { it } from 'node:test'
import { checkSwarm, swarmCheck } from './check-swarm.ts'
import type { SwarmNode } from './swarm-types.ts'

const active = { LocalNodeState: 'active', NodeID: 'n', ControlAvailable: true }
const node = (State: string, Labels = {}): SwarmNode => ({
  ...{ ID: 'n', Version: { Index: 1 }, Status: { State } },
  Spec: { Labels, Role: 'manager', Availability: 'active' },
})
const ours = { 'dev.aloft.0123456789ab': 'true' }

it('says how many nodes run deployments', () => {
  const check = swarmCheck(active, [node('ready', ours), node('ready')])
  assert.deepEqual(check, { name: 'swarm', ok: true, message: '1 of 2 nodes run deployments' })
})

it('warns of nodes that are away, and of one that is no manager', () => {
  const away = swarmCheck(active, [node('ready', ours), node('down', ours)])
  assert.equal(away.warning, true)
  assert.match(away.message, /1 is not reached/)
  assert.equal(swarmCheck(active, undefined).warning, true)
})

it('finds fault with an engine that is no node, and with none', async () => {
  const check = swarmCheck({ ...active, LocalNodeState: 'inactive' }, undefined)
  assert.equal(check.ok, false)
  assert.match(check.hint ?? '', /docker swarm join/)
  const absent = await checkSwarm('unix:///nowhere/docker.sock')
  assert.equal(absent.ok, false)
  assert.match(absent.message, /cannot be reached/)
})
