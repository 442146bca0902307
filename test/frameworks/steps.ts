import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Visit, visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'
import type { Step } from './frameworks.ts'

const TRIES = 30

/** Somebody who visits one site and keeps its cookies. */
class Visitor {
  readonly #aloft: Installation
  readonly #host: string
  readonly #cookies = new Map<string, string>()

  constructor(aloft: Installation, host: string) {
    this.#aloft = aloft
    this.#host = host
  }

  async visit(what: Visit): ReturnType<typeof visit> {
    const answer = await visit(this.#aloft, this.#host, { ...what, headers: this.#headers(what.headers) })
    this.#keep(answer.headers)
    return answer
  }

  /** What there is of an answer when its first part has come, and when it is whole. */
  stream(path: string): Promise<{ readonly first: string; readonly whole: string }> {
    const headers = { host: this.#host, ...this.#headers() }
    return new Promise((resolve, reject) => {
      request({ port: this.#aloft.port, host: '127.0.0.1', path, headers }, async (response) => {
        const parts: string[] = []
        for await (const part of response) parts.push(String(part))
        resolve({ first: parts[0] ?? '', whole: parts.join('') })
      })
        .on('error', reject)
        .end()
    })
  }

  #headers(own: Visit['headers'] = {}): Record<string, string> {
    const kept = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return kept === '' ? { ...own } : { cookie: kept, ...own }
  }

  #keep(headers: IncomingHttpHeaders): void {
    for (const line of headers['set-cookie'] ?? []) {
      const [name, value] = (line.split(';')[0] ?? '').split('=')
      if (name !== undefined && value !== undefined) this.#cookies.set(name, value)
    }
  }
}

/** Rejects with what is wrong with a site. */
export async function trySteps(aloft: Installation, host: string, steps: readonly Step[]): Promise<void> {
  const visitor = new Visitor(aloft, host)
  let time: string | undefined
  for (const step of steps) {
    if ('time' in step) time = await tryTime(visitor, step, time)
    else if ('form' in step) await tryForm(visitor, step)
    else if ('stream' in step) await tryStream(visitor, step)
    else if ('socket' in step) await trySocket(aloft, host, step)
    else await tryVisit(visitor, step)
  }
}

/** What was revalidated is told to the other processes at once, which takes a moment that nobody tells the end of. */
async function tryTime(
  visitor: Visitor,
  step: Extract<Step, { time: string }>,
  before: string | undefined,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { status, text } = await visitor.visit(step)
    const found = /<time>(?:<!--[^>]*-->)?(\d+)/.exec(text)?.[1]
    assert.ok(status === 200 && found !== undefined, `GET ${step.path}: ${status} ${text.slice(0, 300)}`)
    if ((found === before) === (step.time === 'kept')) return found
    assert.ok(
      step.time === 'new' && tries < TRIES,
      step.time === 'new' ? 'the page is still the old one' : 'the page is another one',
    )
    await pause(50)
  }
}

async function tryVisit(
  visitor: Visitor,
  step: Extract<Step, { path: string; holds: RegExp }>,
): Promise<void> {
  const { status, headers, text } = await visitor.visit(step)
  const told = `${step.method ?? 'GET'} ${step.path}: ${status} ${text.slice(0, 300)}`
  assert.equal(status, step.status ?? 200, told)
  assert.match(text.replace(/<!--[^>]*-->/g, ''), step.holds, told)
  if (step.type) assert.match(headers['content-type'] ?? '', step.type, told)
  for (const [name, pattern] of Object.entries(step.has ?? {}))
    assert.match([headers[name] ?? ''].flat().join(' '), pattern, `${name} of ${told}`)
}

async function tryForm(visitor: Visitor, step: Extract<Step, { form: string }>): Promise<void> {
  const page = await visitor.visit({ path: step.form })
  const form = new FormData()
  const shown = /<form.*?<\/form>/s.exec(page.text)?.[0] ?? ''
  for (const [field] of shown.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(field)?.[1]
    const value = /value="([^"]*)"/.exec(field)?.[1] ?? ''
    if (name !== undefined) form.set(name, value.replaceAll('&quot;', '"'))
  }
  for (const [name, value] of Object.entries(step.fields)) form.set(name, value)
  const sent = new Response(form)
  const body = Buffer.from(await sent.arrayBuffer())
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
  const answer = await visitor.visit({ path: step.form, method: 'POST', body, headers })
  const told = `POST ${step.form}: ${answer.status} ${answer.text.slice(0, 300)}`
  const { location } = answer.headers
  assert.ok(answer.status === 200 || (answer.status === 303 && location !== undefined), told)
  const end = location === undefined ? answer : await visitor.visit({ path: location })
  assert.match(end.text.replace(/<!--[^>]*-->/g, ''), step.holds, `${told}\n${end.text.slice(0, 300)}`)
}

async function tryStream(visitor: Visitor, step: Extract<Step, { stream: string }>): Promise<void> {
  const { first, whole } = await visitor.stream(step.stream)
  assert.match(first, step.first, 'the first part is not the early one')
  assert.doesNotMatch(first, step.last, 'the late part came with the early one')
  assert.match(whole, step.last)
}

async function trySocket(
  aloft: Installation,
  host: string,
  step: Extract<Step, { socket: string }>,
): Promise<void> {
  const headers = {
    ...{ host, connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') },
  }
  const asked = request({ host: '127.0.0.1', port: aloft.port, path: step.socket, headers }).end()
  const [, socket] = (await once(asked, 'upgrade')) as [unknown, Socket]
  const words = Buffer.from(step.says)
  // Masked with zeros, as clients have to; servers do not mask.
  socket.write(Buffer.concat([Buffer.of(0x81, 0x80 | words.length, 0, 0, 0, 0), words]))
  const [heard] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  assert.deepEqual(heard, Buffer.concat([Buffer.of(0x81, words.length), words]))
}
