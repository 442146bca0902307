/** The peer of `upload.ts`: every body becomes a file of its own, synced before it is acknowledged. */
import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const [folder = ''] = process.argv.slice(2)

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  const file = await open(join(folder, hash('sha1', body)), 'w')
  await file.writeFile(body)
  await file.datasync()
  await file.close()
  response.end()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
