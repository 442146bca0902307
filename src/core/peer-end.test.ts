import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { onPeerEnd } from './peer-end.ts'

test('any number wait for the end of a connection behind one listener, and those called off hear nothing', async () => {
  const socket = new PassThrough()
  const before = socket.listenerCount('end')
  const heard: number[] = []
  const callOff = Array.from({ length: 20 }, (_, i) => onPeerEnd(socket, () => heard.push(i)))
  assert.equal(socket.listenerCount('end'), before + 1)
  for (const off of callOff.slice(2)) off()
  socket.resume().end()
  await new Promise((resolve) => socket.once('close', resolve))
  assert.deepEqual(heard, [0, 1])
  onPeerEnd(socket, () => heard.push(100))
  onPeerEnd(socket, () => heard.push(101))()
  await setImmediate()
  assert.deepEqual(heard, [0, 1, 100])
})
