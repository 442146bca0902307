import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { taskOffers } from './places.ts'

it('tries to reach a container of this node again where it takes no connections', async (t) => {
  const target = createServer((socket) => socket.end('from the container')).listen(0, '127.0.0.1')
  await once(target, 'listening')
  const { port } = target.address() as AddressInfo
  target.close()
  await once(target, 'close')
  let looks = 0
  const { task } = taskOffers('node', {
    // Without an address at first; and nobody listens there before it is asked for the third time.
    async address() {
      looks++
      if (looks === 3) await once(target.listen(port, '127.0.0.1'), 'listening')
      return looks === 1 ? undefined : '127.0.0.1'
    },
    accepts: async () => false,
    endOf: async () => ({ ranOutOfMemory: false }),
    kill: async () => {},
  })
  const gateway = createServer({ pauseOnConnect: true }, (socket) =>
    task?.(socket, ['a'.repeat(64), String(port)]),
  ).listen(0, '127.0.0.1')
  t.after(() => {
    gateway.close()
    target.close()
  })
  await once(gateway, 'listening')
  const near = connect((gateway.address() as AddressInfo).port, '127.0.0.1')
  assert.equal(await text(near), 'from the container')
  assert.equal(looks, 3)
})
