import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sendText } from './send-text.ts'

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const PLAIN = { method: 'GET', headers: {}, body: undefined, signal: new AbortController().signal }

test('a text is sent whole, and the answer has its status, headers in order and text', async (t) => {
  const url = await serve(t, async (req, res) => {
    const body = (await req.setEncoding('utf8').toArray()).join('')
    res.writeHead(409, [
      ...['X-Later', 'b', 'content-type', 'text/plain', 'x-asked', `${req.method} ${req.url}`],
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
    ])
    res.end(`${body} ${req.headers['content-length']} ${req.headers.accept} ✓`)
  })
  const answer = await sendText(`${url}/a?b=c`, { ...PLAIN, method: 'POST', body: 'grün' })
  assert.deepEqual([answer.ok, answer.status], [false, 409])
  assert.equal(await answer.text(), 'grün 5 */* ✓')
  assert.equal(answer.headers.get('x-asked'), 'POST /a?b=c')
  assert.equal(answer.headers.get('set-cookie'), 'a=1, b=2')
  assert.equal(answer.headers.get('location'), null)
  const names = [...answer.headers.entries()].map(([name]) => name)
  assert.deepEqual(names, names.toSorted())
})

test('redirects are not followed', async (t) => {
  const url = await serve(t, (_, res) => res.writeHead(302, { location: 'http://elsewhere.test/' }).end())
  const answer = await sendText(url, PLAIN)
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.get('location'), 'http://elsewhere.test/')
})

test('no answer, one that breaks off, and one that nobody waits for any more are failures', async (t) => {
  const url = await serve(t, (req, res) => {
    if (req.url === '/never') return
    res.writeHead(200, { 'content-length': '100' }).write('some')
    if (req.url === '/broken') setImmediate(() => res.destroy())
  })
  await assert.rejects(sendText(`${url}/broken`, PLAIN), { code: 'ECONNRESET' })
  for (const path of ['/never', '/slow']) {
    const stop = new AbortController()
    const answer = sendText(`${url}${path}`, { ...PLAIN, signal: stop.signal })
    setTimeout(() => stop.abort(), 50)
    await assert.rejects(answer, { name: 'AbortError' })
  }
  await assert.rejects(sendText('http://127.0.0.1:1/', PLAIN), { code: 'ECONNREFUSED' })
})
