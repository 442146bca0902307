import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { deployed, type Files, follow, visit } from '#test/support/deploying.ts'
import { type Installation, install } from '#test/support/installation.ts'

let aloft: Installation
before(async () => {
  aloft = await install()
})
after(() => aloft.remove())

const call = async (on: string, body?: object) => {
  const [method = '', path] = on.split(' ')
  const answer = await fetch(`${aloft.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Record<string, string>
}

const text = async (url: string, path: string) => {
  const { status, text: body } = await visit(aloft, url, { path })
  return status === 200 ? body : status
}

test('a Python application without any library answers, and its source does not', async () => {
  const files: Files = {
    'app.py': `from greeting import greet

def app(environ, start_response):
    start_response('200 OK', [('content-type', 'text/plain')])
    return [greet(environ['PATH_INFO']).encode()]
`,
    'greeting.py': "def greet(path):\n    return 'wsgi ' + path\n",
  }
  const { url } = await deployed(aloft, { name: 'wsgi', files })
  assert.equal(await text(url, '/hello'), 'wsgi /hello')
  for (const path of Object.keys(files)) assert.equal(await text(url, `/${path}`), `wsgi /${path}`)
})

test('an ASGI application is told of its start, streams, and speaks WebSocket', async () => {
  const files: Files = {
    'main.py': `began = []

async def app(scope, receive, send):
    if scope['type'] == 'lifespan':
        began.append((await receive())['type'])
        await send({'type': 'lifespan.startup.complete'})
        await receive()
        await send({'type': 'lifespan.shutdown.complete'})
    elif scope['type'] == 'http':
        await send({'type': 'http.response.start', 'status': 200, 'headers': []})
        for part in (began[0].encode(), b' and more'):
            await send({'type': 'http.response.body', 'body': part, 'more_body': True})
        await send({'type': 'http.response.body'})
    else:
        await receive()
        await send({'type': 'websocket.accept'})
        while True:
            message = await receive()
            if message['type'] == 'websocket.disconnect':
                return
            await send({'type': 'websocket.send', 'text': message['text']})
`,
  }
  const { url } = await deployed(aloft, { name: 'asgi', files })
  assert.equal(await text(url, '/'), 'lifespan.startup and more')
  const headers = {
    ...{ host: url, connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  }
  const req = request({ host: '127.0.0.1', port: aloft.port, path: '/chat', headers }).end()
  const [, socket] = (await once(req, 'upgrade')) as [unknown, Socket]
  // Masked with zeros, as clients have to.
  socket.write(Buffer.concat([Buffer.of(0x81, 0x86, 0, 0, 0, 0), Buffer.from('across')]))
  const [echoed] = (await once(socket, 'data')) as [Buffer]
  assert.deepEqual(echoed, Buffer.concat([Buffer.of(0x81, 6), Buffer.from('across')]))
  socket.destroy()
})

test('a build that reaches no index of Python packages says so', async () => {
  const files: Files = {
    'app.py': 'from flask import Flask\napp = Flask(__name__)\n',
    'requirements.txt': 'flask\n',
  }
  // Nobody listens there.
  const build = { env: { PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '1' } }
  await assert.rejects(
    deployed(aloft, { name: 'no-index', files, build }),
    /^AssertionError.*: The Python package index could not be reached, so the packages in requirements\.txt were not installed/,
  )
})

test('a package that only has a start script is a server', async () => {
  const files: Files = {
    'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
    'server.js':
      "require('node:http').createServer((q, r) => r.end('node ' + q.url)).listen(process.env.PORT)",
  }
  const { url } = await deployed(aloft, { name: 'started', files })
  assert.equal(await text(url, '/server.js'), 'node /server.js')
})

test('a package of a repository is built with the package beside it, from where their lock file is', async () => {
  const lock = {
    name: 'repo',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'repo', workspaces: ['apps/*', 'packages/*'] },
      'apps/web': { name: 'web', dependencies: { '@repo/words': '*' } },
      'node_modules/@repo/words': { resolved: 'packages/words', link: true },
      'node_modules/web': { resolved: 'apps/web', link: true },
      'packages/words': { name: '@repo/words', version: '1.0.0' },
    },
  }
  const files: Files = {
    'package.json': JSON.stringify({ name: 'repo', private: true, workspaces: ['apps/*', 'packages/*'] }),
    'package-lock.json': JSON.stringify(lock),
    'packages/words/package.json': JSON.stringify({
      name: '@repo/words',
      version: '1.0.0',
      main: 'index.js',
    }),
    'packages/words/index.js': "module.exports = 'words of another package'",
    'apps/web/package.json': JSON.stringify({
      name: 'web',
      dependencies: { '@repo/words': '*' },
      scripts: { build: 'node build.js' },
    }),
    'apps/web/build.js': `const fs = require('node:fs')
fs.mkdirSync('dist', { recursive: true })
fs.writeFileSync('dist/index.html', require('@repo/words'))`,
    'apps/web/api/say.js': "module.exports = (req, res) => res.end('say ' + require('@repo/words'))",
  }
  const list = Object.entries(files).map(([file, data]) => ({ file, data }))
  const unset = await call('POST /v8/platform/deployments', { version: 2, name: 'repo', files: list })
  assert.equal(unset.errorCode, 'unknown_program')
  await call('PATCH /v9/projects/repo', { rootDirectory: 'apps/web' })
  const { id, url } = await deployed(aloft, { name: 'repo', files })
  assert.equal(await text(url, '/'), 'words of another package')
  assert.equal(await text(url, '/api/say'), 'say words of another package')
  assert.equal(await text(url, '/build.js'), 404)
  assert.match(await follow(aloft, id), /Installed dependencies with npm/)
})

test('a site with rules does not wait behind a build', async () => {
  const slow: Files = { 'package.json': JSON.stringify({ scripts: { build: 'sleep 600' } }) }
  const asFiles = (files: Files) => Object.entries(files).map(([file, data]) => ({ file, data }))
  const builds: string[] = []
  for (let i = 0; i < 3; i++) {
    const made = await call('POST /v8/platform/deployments', {
      version: 2,
      name: `slow-${i}`,
      files: asFiles(slow),
    })
    builds.push(made.id as string)
  }
  const site = await call('POST /v8/platform/deployments', {
    version: 2,
    name: 'quick',
    files: asFiles({ 'a.html': 'quick', 'vercel.json': '{"cleanUrls":true}' }),
  })
  assert.equal(site.readyState, 'READY')
  assert.equal(await text(site.url as string, '/a'), 'quick')
  for (const id of builds) await call(`DELETE /v8/platform/deployments/${id}`)
})
