import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer, type LocalIssuer } from '#adapters/cert-local/issuer.ts'
import type { AnyRequest, AnyResponse } from '#core/http-message.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createListeners, type ListenerOptions, type Listeners } from '#listener/listener.ts'
import type { CertificateFor } from '#listener/listener-tls.ts'
import { createCertificateChooser } from '#src/process/tls/tls-certificates.ts'

export const clock = systemClock
const nothing = () => {}
export const silent: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silent,
}

interface TestAuthority {
  readonly issuer: LocalIssuer
  readonly certPem: string
  /** A file with the certificate of the authority, for clients that read it from disk. */
  readonly file: string
}

let authority: Promise<TestAuthority> | undefined

/** One authority for all tests of a file. */
export function testAuthority(): Promise<TestAuthority> {
  authority ??= create()
  return authority
}

async function create(): Promise<TestAuthority> {
  const made = await createAuthority()
  const scratch = await mkdtemp(join(tmpdir(), 'aloft-listener-'))
  // Several files of one process may use it: it is gone with the process, not with the first of them.
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
  const file = join(scratch, 'ca.pem')
  await writeFile(file, made.certPem)
  return { issuer: createLocalIssuer({ ...made, clock }), certPem: made.certPem, file }
}

export async function testChooser(): Promise<CertificateFor> {
  const { issuer } = await testAuthority()
  const apiHosts = ['localhost', 'api.localhost', '127.0.0.1', '::1']
  return createCertificateChooser({ issuer, domain: 'localhost', apiHosts, clock, log: silent, max: 10 })
    .certificateFor
}

export interface Running extends Listeners {
  readonly port: number
  readonly tlsPort: number
}

/** Listens on free ports until the test ends. Without `tlsPort` there is no TLS. */
export async function start(t: TestContext, options: Partial<ListenerOptions>): Promise<Running> {
  const listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 0,
    handle: (_req, res) => reply(res, 'ok'),
    certificateFor: await testChooser(),
    log: silent,
    ...options,
  })
  const ports = await listeners.listen()
  t.after(() => listeners.drain(0))
  return { ...listeners, ...ports }
}

export function reply(res: AnyResponse, body: string): void {
  const headers = { 'content-length': String(Buffer.byteLength(body)) }
  if ('stream' in res) res.writeHead(200, headers).end(body)
  else res.writeHead(200, headers).end(body)
}

/** Answers with what the handler sees of a request. */
export function mirror(req: AnyRequest, res: AnyResponse): void {
  const { httpVersion, method, url, headers } = req
  const encrypted = 'encrypted' in req.socket && req.socket.encrypted === true
  const authority = headers[':authority'] as string | undefined
  reply(res, JSON.stringify({ httpVersion, method, url, host: headers.host, authority, encrypted }))
}

/** Sends bytes and gives all that comes back until the peer closes. */
export async function rawExchange(port: number, bytes: string | Uint8Array, half = false): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', nothing)
  if (half) socket.end(bytes)
  else socket.write(bytes)
  return readAll(socket)
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, 'close').catch(nothing)
  return Buffer.concat(chunks).toString('latin1')
}

/** Resolves with what was received as soon as it matches. */
export function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (pattern.test(text)) done(() => resolve(text))
    }
    const onClose = () => done(() => reject(new Error(`closed after ${JSON.stringify(text)}`)))
    const done = (settle: () => void) => {
      socket.off('data', onData).off('close', onClose)
      settle()
    }
    socket.on('data', onData).on('close', onClose)
  })
}

interface Response1 {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Reads HTTP/1.1 responses with a known length, strictly: throws on anything that is not exactly that. */
export function parseResponses(text: string): Response1[] {
  const found: Response1[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no end of headers in ${JSON.stringify(rest)}`)
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = /^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(line)?.[1]
    if (!status) throw new Error(`no status line: ${JSON.stringify(line)}`)
    const headers = new Map<string, string>()
    for (const header of lines) {
      const [, name, value] = /^([\w-]+): ([ -~]*)$/.exec(header) ?? []
      if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(header)}`)
      headers.set(name.toLowerCase(), value)
    }
    const bodiless = status.startsWith('1') || status === '204'
    const length = bodiless ? 0 : Number(headers.get('content-length'))
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length !== length) throw new Error(`a body of ${body.length} bytes instead of ${length}`)
    found.push({ status: Number(status), headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return found
}

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a client program to its end, whatever that is. */
export function run(program: string, args: readonly string[], input = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
    })
    child.stdin?.on('error', nothing).end(input)
  })
}
