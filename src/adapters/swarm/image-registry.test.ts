import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { pack } from 'tar-stream'
import { freePort } from '#test/support/free-port.ts'
import { silentLog } from '#test/support/silent-log.ts'
import type { Engine } from '../docker/engine/engine.ts'
import { openImageRegistry } from './image-registry.ts'

test('of an image that could not be written whole nothing stays', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-images-'))
  t.after(() => rm(folder, { recursive: true }))
  const engine = {
    image: async () => ({ Id: 'sha256:0' }),
    async imageFiles() {
      const files = pack()
      files.entry({ name: 'layer' }, 'x'.repeat(100_000), () => files.destroy(new Error('the disk is full')))
      return Readable.from(files)
    },
  } as unknown as Engine
  const registry = await openImageRegistry({
    ...{ engine, folder, password: 'x', peers: undefined, log: silentLog },
    port: await freePort(),
  })
  const machine = createServer((socket) => registry.offer(socket)).listen(0, '127.0.0.1')
  await once(machine, 'listening')
  t.after(async () => {
    machine.close()
    await registry.close()
  })
  const { port } = machine.address() as AddressInfo
  await assert.rejects(fetch(`http://127.0.0.1:${port}/v2/aloft-program/manifests/tag`))
  const [own = ''] = await readdir(folder)
  assert.deepEqual(await readdir(join(folder, own)), [])
})
