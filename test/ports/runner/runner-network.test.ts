import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createDestinations } from '#core/outbound/destinations.ts'
import { NETWORKS, sandboxMissing } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { openWorkbench, USUAL_KIND } from './workbench.ts'

const FUNCTION = `const [host, port] = process.env.SERVICE.split(':')
module.exports = (req, res) => {
  require('node:net').connect(Number(port), host)
    .on('data', (chunk) => res.end(chunk)).on('error', (error) => res.end(error.code))
}`

for (const { name, without } of NETWORKS)
  describe(`a function in the ${name}`, { skip: sandboxMissing }, () => {
    it('reaches a service at a port of its own, which its variables name, also from a runtime that waited', async (t) => {
      const [address] = Object.values(networkInterfaces())
        .flat()
        .flatMap((each) => (each && !each.internal && each.family === 'IPv4' ? [each.address] : []))
      if (address === undefined) return t.skip('this machine has no address of its own')
      const service = createServer((socket) => socket.end('from the service'))
      t.after(() => service.close())
      await new Promise<void>((resolve) => service.listen(0, address, resolve))
      const { port } = service.address() as { port: number }
      const destinations = createDestinations({ privateTargets: [address] })
      const sandbox = await openSandbox({ mode: 'required', log: silentLog, without, destinations })
      const ends: (() => unknown)[] = []
      t.after(async () => {
        for (const end of ends) await end()
        await sandbox.close()
      })
      const bench = await openWorkbench({ after: (end) => void ends.push(end as () => unknown) }, sandbox, {
        limits: { warm: 1 },
      })
      await bench.host.prewarm([USUAL_KIND])
      const env = { SERVICE: `${address}:${port}` }
      const ref = await bench.deploy({ files: { 'index.js': FUNCTION }, env })
      assert.equal((await bench.get(ref)).body, 'from the service')
    })
  })
