import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install } from '#test/support/installation.ts'

/** Asks its own site for a page, each way that programs do. */
const NODE = `
const https = require('https')
const got = (url) => new Promise((resolve, reject) =>
  https.get(url, (res) => { res.setEncoding('utf8'); let text = ''; res.on('data', (part) => { text += part }).on('end', () => resolve(text)) }).on('error', reject))
module.exports = async (req, res) => {
  const { VERCEL_URL } = process.env
  const text = (url) => fetch(url).then((answer) => answer.text())
  const asVisitors = 'http://' + VERCEL_URL + ':' + req.query.port + '/page.txt'
  res.json([await text('https://' + VERCEL_URL + '/page.txt'), await text('http://' + VERCEL_URL + '/page.txt'), await got('https://' + VERCEL_URL + '/page.txt'), await text(asVisitors)])
}
`

const PYTHON = `
import json, os, urllib.request
from http.server import BaseHTTPRequestHandler

class handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = os.environ['VERCEL_URL']
        texts = [urllib.request.urlopen(way + '://' + url + '/page.txt').read().decode() for way in ('https', 'http')]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(texts).encode())
`

for (const [name, env] of Object.entries({
  'in the sandbox of this machine': { ALOFT_SANDBOX: 'auto' },
  'without a sandbox': { ALOFT_SANDBOX: 'off' },
}))
  describe(`a site that asks itself, ${name}`, () => {
    let aloft: Installation
    before(async () => {
      aloft = await install({ env })
    })
    after(() => aloft.remove())

    test('functions of Node and Python, by HTTP and by TLS', async () => {
      const files = { 'api/node.js': NODE, 'api/python.py': PYTHON, 'page.txt': 'the page' }
      const { url } = await deployed(aloft, { name: 'asks-itself', files })
      const answer = await visit(aloft, url, { path: `/api/node?port=${aloft.port}` })
      assert.deepEqual([answer.status, answer.text], [200, JSON.stringify(Array(4).fill('the page'))])
      assert.deepEqual(JSON.parse((await visit(aloft, url, { path: '/api/python' })).text), [
        'the page',
        'the page',
      ])
    })

    test('a function that asks itself when its instance has all the requests that it takes', async () => {
      const files = {
        'api/again.js': `
const own = require('node:crypto').randomUUID()
const held = []
const release = () => { for (const go of held) go() }
module.exports = async (req, res) => {
  if (req.query.inner) return res.end(own)
  // On a busy machine, some may go to another instance.
  await new Promise((resolve) => { held.push(resolve); if (held.length === 1) setTimeout(release, 5000); if (held.length === 32) release() })
  res.json([own, await (await fetch('http://' + process.env.VERCEL_URL + '/api/again?inner=1')).text()])
}`,
      }
      const { url } = await deployed(aloft, { name: 'asks-again', files })
      const answers = await Promise.all(
        Array.from({ length: 32 }, () => visit(aloft, url, { path: '/api/again' })),
      )
      for (const { status } of answers) assert.equal(status, 200)
      // Those that asked last may be answered by their own instance, once others have left it.
      assert.ok(new Set(answers.flatMap(({ text }) => JSON.parse(text))).size > 1)
    })

    test('a site that is protected is so for programs too', async () => {
      const { url } = await deployed(aloft, { name: 'guarded', files: { 'page.txt': 'the page' } })
      const headers = { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ passwordProtection: { deploymentType: 'all', password: 'open sesame' } })
      const set = await fetch(`${aloft.url}/v9/projects/guarded`, { method: 'PATCH', headers, body })
      assert.equal(set.status, 200)
      const asking = await deployed(aloft, {
        name: 'asks-guarded',
        files: {
          'api/index.js': `module.exports = async (req, res) => res.json((await fetch('https://${url}/page.txt')).status)`,
        },
      })
      assert.equal((await visit(aloft, asking.url, { path: '/api' })).text, '401')
    })

    test('builds and functions find no packages in the folders above the data folder', async () => {
      const above = join(aloft.folder, 'node_modules', 'above')
      await mkdir(above, { recursive: true })
      await writeFile(join(above, 'index.js'), 'module.exports = "found"')
      const look = `const found = []
        try { found.push(require('above')) } catch (error) { found.push(error.code) }
        const looked = import('above').then((m) => m.default, (error) => error.code).then((said) => [...found, said].join())`
      const { url } = await deployed(aloft, {
        name: 'looks-up',
        files: {
          'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
          'build.js': `${look}
            looked.then((said) => { require('fs').mkdirSync('public'); require('fs').writeFileSync('public/build.txt', said) })`,
          'api/look.js': `${look}\nmodule.exports = async (req, res) => res.end(await looked)`,
        },
      })
      for (const path of ['/build.txt', '/api/look'])
        assert.equal(
          (await visit(aloft, url, { path })).text,
          'MODULE_NOT_FOUND,ERR_MODULE_NOT_FOUND',
          `${name}: ${path}`,
        )
    })

    test('what is in force is told to the operator', async () => {
      const headers = { authorization: `Bearer ${aloft.token}` }
      const { sandbox, checks } = (await (
        await fetch(`${aloft.url}/v1/operator/status`, { headers })
      ).json()) as {
        sandbox: { kind: string; inForce: [string, string][] }
        checks: { name: string; ok: boolean; message: string; hint?: string }[]
      }
      const inForce = Object.fromEntries(sandbox.inForce)
      assert.deepEqual(Object.keys(inForce), [
        ...['network', 'memory', 'CPU', 'processes', 'system calls', 'cgroups'],
      ])
      const check = checks.find(({ name }) => name === 'sandbox')
      if (env.ALOFT_SANDBOX === 'off') {
        assert.equal(sandbox.kind, 'none')
        assert.match(inForce.network ?? '', /the network of this machine/)
        assert.match(check?.message ?? '', /^off, as configured/)
      } else if (sandbox.kind === 'none') assert.ok(check?.hint)
      else assert.ok(check?.message.includes(`network: ${inForce.network}`))
    })

    test('a build asks a site of the same installation', async () => {
      const asked = await deployed(aloft, { name: 'asked', files: { 'page.txt': 'the page' } })
      const script = `fetch('https://${asked.url}/page.txt').then((a) => a.text()).then((text) => {
        require('fs').mkdirSync('public'); require('fs').writeFileSync('public/index.html', text) })`
      const { url } = await deployed(aloft, {
        name: 'asks',
        files: {
          'package.json': JSON.stringify({ scripts: { build: 'node build.js' } }),
          'build.js': script,
        },
      })
      assert.equal((await visit(aloft, url, { path: '/' })).text, 'the page')
    })
  })
