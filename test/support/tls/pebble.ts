import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { freePort } from '../free-port.ts'

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',').includes('pebble')

/** For the `skip` of a test that needs an ACME server. */
export const withoutPebble: string | false = missing && 'pebble is not installed'

interface PebbleOptions {
  /** Where it looks for challenges. */
  readonly httpPort: number
  readonly tlsPort: number
  readonly dnsPort: number
}

export interface Pebble {
  readonly directory: string
  /** The authority of its own address, in PEM and as a file. */
  readonly trusted: string
  readonly trustedFile: string
  /** The root of the certificates that it issues; another one at every start. */
  root(): Promise<string>
  stop(): Promise<void>
}

/** Let's Encrypt's test authority, on free ports. It rejects some good nonces, as real ones now and then do. */
export async function startPebble({ httpPort, tlsPort, dnsPort }: PebbleOptions): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-pebble-'))
  const [port, managementPort] = [await freePort(), await freePort()]
  const authority = await createAuthority()
  const { cert, key } = await createLocalIssuer({ ...authority, clock: systemClock }).issue(['127.0.0.1'])
  const file = (name: string) => join(folder, name)
  await writeFile(file('trusted.pem'), authority.certPem)
  await writeFile(file('cert.pem'), cert)
  await writeFile(file('key.pem'), key)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file('cert.pem'),
    privateKey: file('key.pem'),
    httpPort,
    tlsPort,
  }
  await writeFile(file('pebble.json'), JSON.stringify({ pebble }))
  const server = await launch(['-config', file('pebble.json'), '-dnsserver', `127.0.0.1:${dnsPort}`])
  for (const each of [port, managementPort]) await untilOpen(each)
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    trusted: authority.certPem,
    trustedFile: file('trusted.pem'),
    async root() {
      const url = `https://127.0.0.1:${managementPort}/roots/0`
      const [response] = (await once(get(url, { ca: authority.certPem, agent: false }), 'response')) as [
        IncomingMessage,
      ]
      return text(response)
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** It says that it listens a moment before it does. */
async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await setTimeout(10)
  }
}

async function launch(args: readonly string[]): Promise<ChildProcess> {
  const server = spawn('pebble', args, {
    env: { PATH: process.env.PATH, PEBBLE_VA_NOSLEEP: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const onExit = () => server.kill('SIGKILL')
  process.once('exit', onExit)
  server.once('exit', () => process.off('exit', onExit))
  const seen: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
  for (const input of [server.stdout, server.stderr])
    createInterface({ input }).on('line', (line) => {
      if (seen.length < 100) seen.push(line)
      if (/ACME directory available at/.test(line)) resolve(server)
    })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`pebble ended:\n${seen.join('\n')}`)))
  return promise
}
