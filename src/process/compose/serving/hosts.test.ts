import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createIsForApi, createOriginOf } from './hosts.ts'

const originOf = (origins: readonly string[] | undefined, host: string) =>
  createOriginOf('aloft.test', 'iad1', { origins: () => origins && new Set(origins) })(host)

test('in one place, the name of an origin is believed, and any other means here', () => {
  for (const origins of [[], ['iad1']]) {
    assert.equal(originOf(origins, 'API-hnd1.aloft.test:3000'), 'hnd1')
    assert.equal(originOf(origins, 'api.aloft.test'), 'iad1')
  }
})

test('in several, a machine is where it is, also while those of another region are lost', () => {
  assert.equal(originOf(['iad1', 'hnd1'], 'api-hnd1.aloft.test'), 'iad1')
  assert.equal(originOf(undefined, 'api-hnd1.aloft.test'), 'iad1', 'as long as it is not known')
})

test('the health check of the image is answered by the API, under whatever names that is', async (t) => {
  const isForApi = createIsForApi({ apiHosts: ['paas.example'], domain: 'apps.example' })
  let isWell = true
  const server = createServer((req, res) => res.writeHead(isForApi(req) && isWell ? 200 : 503).end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const dockerfile = await readFile(join(import.meta.dirname, '../../../../Dockerfile'), 'utf8')
  const [, , ...args] = JSON.parse(/HEALTHCHECK[^\n]*\n\s*CMD (\[.*\])/.exec(dockerfile)?.[1] ?? '[]')
  const check = async () => {
    const env = { ALOFT_PORT: String(port) }
    const [code] = await once(execFile(process.execPath, ['-e', ...args], { env }), 'exit')
    return code
  }
  assert.equal(await check(), 0)
  isWell = false
  assert.equal(await check(), 1)
})
