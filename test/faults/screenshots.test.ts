import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createChromiumScreenshots } from '#adapters/screenshots-chromium/chromium-screenshots.ts'
import { openScreenshots } from '#src/process/compose/content/screenshots.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { marker, processesWith, rootMissing, scratch } from '#test/support/sandbox/sandbox.ts'
import { startServer } from '#test/support/server.ts'
import { silentLog } from '#test/support/silent-log.ts'

const skip = withoutChromium || rootMissing

/** A page that does all it can to reach something, before it is seen. */
const hostile = (url: string, other: string): string => `<!doctype html><title>Hostile</title>
<body style="background: #c00"><h1>Hello</h1>
<img src="${url}/img"><iframe src="file:///etc/passwd"></iframe><script src="${url}/script.js"></script>
<script>
  for (const to of ['${url}', 'http://${other}', 'http://169.254.169.254'])
    fetch(to + '/from-the-page', { mode: 'no-cors' }).then(() => new Image().src = '/reached?' + to, () => {})
  alert('wait for me')
</script>`

test('a picture is taken of a page, which reaches nothing but its own site', {
  skip,
  timeout: 110_000,
}, async (t) => {
  let reached = 0
  const target = createServer((_req, res) => {
    reached++
    res.end()
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  t.after(() => target.close())
  const sandbox = await openSandbox({ mode: 'required', log: silentLog })
  t.after(() => sandbox.close())
  // A machine that tests run on may be slow.
  const screenshots = await openScreenshots({ chromium: undefined }, sandbox, silentLog, 100_000)
  const server = await startServer({ workers: { screenshots } })
  t.after(() => server.close())
  const { token } = await server.signUp()
  const deploy = async (name: string, data: string, target?: string) =>
    (
      await server.call('POST /v8/platform/deployments', {
        token,
        body: { name, version: 2, files: [{ file: 'index.html', data }], ...(target ? { target } : {}) },
      })
    ).body
  const other = await deploy('other', 'not for you')
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  // By which its browser is told from those of other tests that run at the same time.
  const name = `camera-${process.pid}`
  const { id } = await deploy(name, hostile(url, other.url), 'production')
  await server.runJobs()
  const answer = await fetch(`${server.url}/v1/deployments/${id}/preview`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'image/webp')
  assert.equal(answer.headers.get('x-aloft-preview'), 'screenshot')
  const picture = Buffer.from(await answer.arrayBuffer())
  assert.ok(picture.length <= 100_000)
  assert.deepEqual(sizeOf(picture), { width: 600, height: 375 })
  assert.equal(reached, 0)
  assert.deepEqual(processesWith(`--unsafely-treat-insecure-origin-as-secure=http://${name}`), [])
})

test('what does not come to an end in time is ended, and leaves nothing', { skip }, async (t) => {
  const sandbox = await openSandbox({ mode: 'required', log: silentLog })
  t.after(() => sandbox.close())
  const folder = await scratch(t)
  await chmod(folder, 0o755)
  const seconds = marker()
  const chromium = join(folder, 'browser')
  await writeFile(chromium, `#!/bin/sh\nexec sleep ${seconds}\n`, { mode: 0o755 })
  const screenshots = createChromiumScreenshots({
    sandbox,
    chromium,
    needs: [],
    log: silentLog,
    wallMs: 2000,
  })
  const site = { host: 'never.example', socket: join(folder, 'site.sock') }
  await assert.rejects(screenshots.photograph(site, AbortSignal.abort()))
  assert.equal(await screenshots.photograph(site, new AbortController().signal), undefined)
  assert.deepEqual(processesWith(seconds), [])
})

/** Of a WebP image, in its simple form and in the one that has room for more. */
const sizeOf = (webp: Buffer): { readonly width: number; readonly height: number } =>
  webp.toString('latin1', 12, 16) === 'VP8X'
    ? { width: webp.readUIntLE(24, 3) + 1, height: webp.readUIntLE(27, 3) + 1 }
    : { width: webp.readUInt16LE(26) & 0x3fff, height: webp.readUInt16LE(28) & 0x3fff }
