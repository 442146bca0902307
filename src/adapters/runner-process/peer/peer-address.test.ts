import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressNow, readEndpoint } from './peer-address.ts'

const nobody = () => assert.fail('nobody is asked for an address')

test('an endpoint is an address or a name, and a port', () => {
  assert.deepEqual(readEndpoint('10.0.0.1:3500'), { host: '10.0.0.1', port: 3500 })
  assert.deepEqual(readEndpoint('[2001:db8::1]:3500'), { host: '2001:db8::1', port: 3500 })
  assert.deepEqual(readEndpoint('aloft_aloft.1.x9:3500'), { host: 'aloft_aloft.1.x9', port: 3500 })
})

test('an address is where it says; a name is looked up', async () => {
  for (const host of ['10.0.0.1', '2001:db8::1'])
    assert.equal(await addressNow({ host, port: 1 }, undefined, nobody), host)
  const machine = { host: 'worker-1', port: 1 }
  assert.equal(await addressNow(machine, undefined, async () => ['10.0.0.7', '10.0.0.8']), '10.0.0.7')
})

test('a name that leads elsewhere is followed; one that nobody answers for is not', async () => {
  const machine = { host: 'worker-1', port: 1 }
  assert.equal(await addressNow(machine, '10.0.0.8', async () => ['10.0.0.7', '10.0.0.8']), '10.0.0.8')
  assert.equal(await addressNow(machine, '10.0.0.8', async () => ['10.0.0.9']), '10.0.0.9')
  const away = async () => {
    throw new Error('queryA ESERVFAIL')
  }
  assert.equal(await addressNow(machine, '10.0.0.8', away), '10.0.0.8')
  assert.equal(await addressNow(machine, undefined, away), undefined)
})
