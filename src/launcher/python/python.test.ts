import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { launch, type Program, start } from '#test/support/sandbox/launched.ts'

const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
const skip = found.status === 0 ? false : 'python3 (3.8 or newer) is not installed'
const inRequest = (id: string) => ({ headers: { 'x-aloft-request-id': id } })
const python = (source: string): Program => ({ files: { 'api/hello.py': source } })

const HANDLER = `
import sys
from http.server import BaseHTTPRequestHandler

class handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/fails':
            raise RuntimeError('failed')
        print('printed', self.headers.get('x-aloft-request-id'))
        self.send_response(200)
        self.send_header('content-type', 'text/plain')
        self.end_headers()
        self.wfile.write(b'from ')
        self.wfile.write(self.path.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(201)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass
`

test('a handler answers, with bodies and connections that are kept', { skip }, async (t) => {
  const launched = await start(t, python(HANDLER), 'python')
  assert.equal((await launched.fetch('/a?b=c', inRequest('r1'))).body, 'from /a?b=c')
  assert.deepEqual(await launched.heardOf('log'), {
    ...{ type: 'log', stream: 'stdout', text: 'printed None', requestId: 'r1' },
  })
  const body = 'x'.repeat(1_000_000)
  for (let i = 0; i < 3; i += 1)
    assert.equal((await launched.fetch('/', { method: 'POST', body })).body.length, body.length)
  const req = launched.open('/', { method: 'POST' })
  req.write('in ')
  req.end('chunks')
  const [res] = await once(req, 'response')
  assert.equal(String((await once(res, 'data'))[0]), 'in chunks')
  assert.equal((await launched.fetch('/', { method: 'PUT', body: 'unread' })).status, 204)
  assert.equal((await launched.fetch('/', { method: 'DELETE' })).status, 501)
  assert.equal((await launched.fetch('/fails', inRequest('r2'))).status, 500)
  await launched.heard(({ text: line, requestId }) => line === 'RuntimeError: failed' && requestId === 'r2')
})

const FILE = `
import io
from http.server import BaseHTTPRequestHandler

class handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        if self.path == '/length':
            self.send_header('content-length', '8')
        self.end_headers()
        # By its kind, pandas and others decide whether they write text or bytes.
        is_binary = isinstance(self.wfile, (io.BufferedIOBase, io.RawIOBase))
        with io.TextIOWrapper(self.wfile, 'utf-8') as text:
            text.write('binary\\r\\n' if is_binary else 'other\\r\\n ')

    def log_message(self, *args):
        pass
`

test('what a handler writes to is a binary file, whether or not the length is known', { skip }, async (t) => {
  const launched = await start(t, python(FILE), 'python')
  for (const path of ['/', '/length', '/length'])
    assert.equal((await launched.fetch(path)).body, 'binary\r\n', path)
})

const BACKEND = `
import socket, threading, urllib.request
from http.server import BaseHTTPRequestHandler

backend = socket.create_server(('127.0.0.1', 0))

def hang_up():
    while True:
        connection, _ = backend.accept()
        connection.recv(4096)
        connection.close()

threading.Thread(target=hang_up, daemon=True).start()

class handler(BaseHTTPRequestHandler):
    def do_GET(self):
        urllib.request.urlopen('http://127.0.0.1:%d/' % backend.getsockname()[1])

    def do_POST(self):
        self.rfile.read(1000)

    def do_PUT(self):
        try:
            while True:
                self.wfile.write(b'x' * 1000000)
        except ConnectionError:
            print('left')
            raise

    def log_message(self, *args):
        pass
`

test('a connection that the code has made fails like anything else; that of a visitor who leaves does so quietly', {
  skip,
}, async (t) => {
  const launched = await start(t, python(BACKEND), 'python')
  const { status, body } = await launched.fetch('/', inRequest('r1'))
  assert.deepEqual([status, /FUNCTION_INVOCATION_FAILED/.test(body)], [500, true])
  const says = (id: string, pattern: RegExp) => (message: { readonly [name: string]: unknown }) =>
    message.requestId === id && pattern.test(String(message.text))
  await launched.heard(says('r1', /^http\.client\.RemoteDisconnected/))
  const reads = launched.open('/', {
    method: 'POST',
    headers: { 'content-length': '10', ...inRequest('r2').headers },
  })
  reads.on('error', () => {}).write('12')
  const writes = launched.open('/', { method: 'PUT', ...inRequest('r3') }).on('error', () => {})
  writes.end()
  await once(writes, 'socket')
  writes.socket?.once('connect', () => setImmediate(() => writes.destroy()))
  await launched.heard(says('r3', /^left$/))
  reads.destroy()
  // What they would have said has come by then.
  assert.equal((await launched.fetch('/', inRequest('r4'))).status, 500)
  await launched.heard(says('r4', /^http\.client\.RemoteDisconnected/))
  for (const id of ['r2', 'r3']) assert.equal(launched.messages.find(says(id, /Traceback/)), undefined, id)
})

const WSGI = `
import json, os, sys, threading
from _vendored import NAME

release = threading.Event()

def app(environ, start_response):
    path = environ['PATH_INFO']
    if path == '/fails':
        raise RuntimeError('failed')
    if path == '/release':
        release.set()
    if path == '/stream':
        start_response('200 OK', [('content-type', 'text/plain')])
        def parts():
            yield b'first'
            release.wait(20)
            yield b'second'
        return parts()
    if path == '/slow':
        print('slow', file=sys.stderr)
        start_response('200 OK', [])
        release.wait(0.1)
        return [b'ended']
    if path == '/exit':
        sys.exit(5)
    start_response('201 Created', [('content-type', 'application/json'), ('set-cookie', 'a=1'), ('set-cookie', 'b=2')])
    body = environ['wsgi.input'].read().decode()
    keys = ['REQUEST_METHOD', 'PATH_INFO', 'QUERY_STRING', 'HTTP_HOST', 'wsgi.url_scheme', 'REMOTE_ADDR', 'HTTP_X_A', 'HTTP_X_ALOFT_REQUEST_ID']
    return [json.dumps([NAME, os.environ['NAME'], body] + [environ.get(key) for key in keys]).encode()]
`
const wsgi: Program = {
  files: { 'app.py': WSGI, '_vendor/_vendored.py': `NAME = 'vendored'` },
  env: { NAME: 'value' },
}

test('a WSGI application finds the request, its variables and its packages', { skip }, async (t) => {
  const launched = await start(t, wsgi, 'python')
  const headers = {
    ...{
      'x-forwarded-host': 'shop.test',
      'x-forwarded-proto': 'https',
      'x-real-ip': '192.0.2.1',
      'x-a': 'one',
    },
    'x-aloft-request-id': 'r1',
  }
  const answer = await launched.fetch('/caf%C3%A9?q=%20', { method: 'POST', body: 'text', headers })
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  assert.deepEqual(JSON.parse(answer.body), [
    ...[
      'vendored',
      'value',
      'text',
      'POST',
      '/cafÃ©',
      'q=%20',
      'shop.test',
      'https',
      '192.0.2.1',
      'one',
      null,
    ],
  ])
  assert.equal((await launched.fetch('/fails', inRequest('r2'))).status, 500)
  await launched.heard(({ text: line, requestId }) => line === 'RuntimeError: failed' && requestId === 'r2')
})

test('a WSGI application streams, while others are answered', { skip }, async (t) => {
  const launched = await start(t, wsgi, 'python')
  const req = launched.open('/stream')
  req.end()
  const [res] = await once(req, 'response')
  assert.equal(String((await once(res, 'data'))[0]), 'first')
  const rest = text(res)
  await launched.fetch('/release')
  assert.equal(await rest, 'second')
})

test('stop lets responses end; exits carry their code', { skip }, async (t) => {
  const kind = await start(t, wsgi, 'python')
  const slow = kind.fetch('/slow', inRequest('r1'))
  await kind.heard(({ text: line }) => line === 'slow')
  kind.say({ type: 'stop', graceMs: 5000 })
  assert.equal((await slow).body, 'ended')
  assert.equal(await kind.exit, 0)
  const exits = await start(t, wsgi, 'python')
  await assert.rejects(exits.fetch('/exit'))
  assert.equal(await exits.exit, 5)
  const left = await start(t, wsgi, 'python')
  left.hangUp()
  assert.equal(await left.exit, 1)
})

const ASGI = `
import asyncio, json

events = []

async def app(scope, receive, send):
    if scope['type'] == 'lifespan':
        while True:
            message = await receive()
            events.append(message['type'])
            await send({'type': message['type'] + '.complete'})
            if message['type'] == 'lifespan.shutdown':
                print('shut down')
                return
    if scope['path'] == '/fails':
        raise RuntimeError('failed')
    await send({'type': 'http.response.start', 'status': 200, 'headers': [(b'content-type', b'text/plain')]})
    if scope['path'] == '/echo':
        more = True
        while more:
            message = await receive()
            more = message.get('more_body', False)
            await send({'type': 'http.response.body', 'body': message['body'], 'more_body': True})
        await send({'type': 'http.response.body'})
    elif scope['path'] == '/gone':
        await send({'type': 'http.response.body', 'body': b'begun', 'more_body': True})
        await receive()
        print('disconnect' if (await receive())['type'] == 'http.disconnect' else 'something else')
    elif scope['path'] == '/flood':
        for i in range(2000):
            await send({'type': 'http.response.body', 'body': b'x' * 65536, 'more_body': True})
            app.made = i
        await send({'type': 'http.response.body'})
    else:
        print('asked for', scope['path'])
        body = json.dumps([events, scope['method'], scope['query_string'].decode(), scope['scheme'],
            [name.decode() for name, _ in scope['headers']], getattr(app, 'made', None)])
        await send({'type': 'http.response.body', 'body': body.encode()})
`

test('an ASGI application is started, streams both ways, and is told of its end', { skip }, async (t) => {
  const launched = await start(t, { files: { 'main.py': ASGI }, entry: 'main.py:app' }, 'python')
  const answer = await launched.fetch('/a?q=1', inRequest('r1'))
  assert.deepEqual(JSON.parse(answer.body).slice(0, 4), [['lifespan.startup'], 'GET', 'q=1', 'https'])
  assert.ok(!answer.body.includes('x-aloft-request-id'))
  await launched.heard(({ text: line, requestId }) => line === 'asked for /a' && requestId === 'r1')
  const req = launched.open('/echo', { method: 'POST' })
  req.write('one')
  const [res] = await once(req, 'response')
  assert.equal(String((await once(res, 'data'))[0]), 'one')
  req.write('two')
  assert.equal(String((await once(res, 'data'))[0]), 'two')
  req.end()
  await once(res, 'end')
  const body = 'x'.repeat(1_000_000)
  const long = await launched.fetch('/echo', { method: 'POST', body })
  assert.equal(long.body.length, body.length)
  assert.equal((await launched.fetch('/fails', inRequest('r2'))).status, 500)
  await launched.heard(({ text: line, requestId }) => line === 'RuntimeError: failed' && requestId === 'r2')
  launched.say({ type: 'stop', graceMs: 5000 })
  assert.equal(await launched.exit, 0)
  assert.equal(await launched.stdout, 'shut down\n')
})

test('an ASGI application learns that its client left, and makes no more than is read', {
  skip,
}, async (t) => {
  const launched = await start(t, { files: { 'main.py': ASGI } }, 'python')
  for (const path of ['/gone', '/flood']) {
    const req = launched.open(path, inRequest(path))
    req.end()
    const [res] = await once(req, 'response')
    await once(res, 'data')
    if (path === '/flood') {
      res.pause()
      let before = -1
      for (let made = -2; made !== before; ) {
        before = made
        made = JSON.parse((await launched.fetch('/')).body)[5]
      }
      assert.ok(before < 500, `${before} pieces were made for nobody`)
    }
    req.destroy()
  }
  await launched.heard(({ text: line }) => line === 'disconnect')
})

test('commands are run by this launcher as well', { skip }, async (t) => {
  const { createServer } = await import('node:net')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  const source = `
import os, http.server
http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), http.server.SimpleHTTPRequestHandler).serve_forever()`
  const launched = await start(
    t,
    {
      files: { 'serve.py': source, 'file.txt': 'content' },
      ...{ shape: 'command', command: ['python3', 'serve.py'], env: { PORT: String(port) } },
    },
    'python',
  )
  assert.equal((await launched.fetch('/file.txt')).body, 'content')
  launched.say({ type: 'stop', graceMs: 5000 })
  assert.equal(await launched.exit, 0)
  const job = await launch(
    t,
    { files: { 'job.py': 'raise SystemExit(3)' }, shape: 'command', command: ['python3', 'job.py'] },
    'python',
  )
  assert.equal((await job.heardOf('finished')).code, 3)
  assert.equal(await job.exit, 3)
})

test('what cannot be loaded fails, and says why', { skip }, async (t) => {
  const failures: Readonly<Record<string, RegExp>> = {
    'value = 1': /LookupError: The module exports nothing/,
    'import missing_package': /ModuleNotFoundError: No module named 'missing_package'/,
    def: /SyntaxError/,
    'import sys; sys.exit(2)': /SystemExit: 2/,
  }
  await Promise.all(
    Object.entries(failures).map(async ([source, reason]) => {
      const launched = await launch(t, python(source), 'python')
      const { message, stack } = await launched.heardOf('failed')
      assert.match(String(message), reason)
      assert.match(String(stack), /hello\.py|LookupError/)
      assert.equal(await launched.exit, 1)
    }),
  )
})

test('code finds the packages of its own folder before those of the folders above', { skip }, async (t) => {
  const { files, env } = python(`
import near, shared
def app(environ, start_response):
    start_response('200 OK', [])
    return [f'{near.NAME} {shared.NAME}'.encode()]`)
  const launched = await start(
    t,
    {
      files: {
        ...files,
        'api/_vendor/near.py': `NAME = 'near'`,
        '_vendor/near.py': `NAME = 'above'`,
        '_vendor/shared.py': `NAME = 'above'`,
      },
      ...(env && { env }),
    },
    'python',
  )
  assert.equal((await launched.fetch('/')).body, 'near above')
})

test('a program finds nothing of the launcher on its path', { skip }, async (t) => {
  const launched = await start(
    t,
    python(`
import json, os, sys
def app(environ, start_response):
    start_response('200 OK', [])
    return [json.dumps([sys.path[:2], sys.argv, os.getcwd(), [p for p in sys.path if 'launcher/python' in p]]).encode()]`),
    'python',
  )
  const root = join(launched.folder, 'task')
  assert.deepEqual(JSON.parse((await launched.fetch('/')).body), [
    ...[[root, join(root, '_vendor')], [join(root, 'api/hello.py')], root, []],
  ])
})
