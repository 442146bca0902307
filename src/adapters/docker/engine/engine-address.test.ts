import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isLocal, readEngineAddress } from './engine-address.ts'

it('reads DOCKER_HOST as other clients do', () => {
  const usual = { socketPath: '/var/run/docker.sock' }
  assert.deepEqual(readEngineAddress(undefined), usual)
  assert.deepEqual(readEngineAddress(''), usual)
  assert.deepEqual(readEngineAddress('unix:///run/user/1/docker.sock'), {
    socketPath: '/run/user/1/docker.sock',
  })
  assert.deepEqual(readEngineAddress('tcp://127.0.0.1:23'), { host: '127.0.0.1', port: 23 })
  assert.deepEqual(readEngineAddress('tcp://[::1]'), { host: '::1', port: 2375 })
  for (const text of ['ssh://me@there', 'unix://docker.sock', 'docker', 'tcp://'])
    assert.throws(() => readEngineAddress(text), /DOCKER_HOST/)
})

it('tells an engine of this machine from others', () => {
  for (const text of ['unix:///x', 'tcp://localhost', 'tcp://127.0.0.2:1', 'tcp://[::1]:1'])
    assert.equal(isLocal(readEngineAddress(text)), true, text)
  for (const text of ['tcp://10.0.0.1', 'tcp://127.0.0.1.evil.test', 'tcp://docker:2375'])
    assert.equal(isLocal(readEngineAddress(text)), false, text)
})
