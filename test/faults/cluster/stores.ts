import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A server that is taken away and comes back with what it had. */
export interface Store {
  readonly port: number
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

async function until(child: ChildProcess, words: RegExp): Promise<void> {
  const said: string[] = []
  const ready = Promise.withResolvers<void>()
  for (const output of [child.stdout, child.stderr])
    if (output)
      createInterface({ input: output }).on('line', (line) => {
        if (said.length < 50) said.push(line)
        if (words.test(line)) ready.resolve()
      })
  child.once('exit', () => ready.reject(new Error(`it ended:\n${said.join('\n')}`)))
  return ready.promise
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** With everything that makes what it has acknowledged durable. */
export async function openPostgres(address: string, port: number): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-cluster-pg-'))
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  )
  await chown(folder, uid as number, gid as number)
  const options = { cwd: folder, uid, gid }
  const [bin = ''] = globSync('/usr/lib/postgresql/*/bin').sort().reverse()
  const data = join(folder, 'data')
  const initial = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  await run(join(bin, 'initdb'), initial, options as object)
  await appendFile(join(data, 'pg_hba.conf'), `host all all ${address}/24 trust\n`)
  const settings = [
    ...[`listen_addresses=${address}`, `port=${port}`, `unix_socket_directories=${folder}`],
    ...['max_connections=300', 'shared_buffers=64MB'],
  ].flatMap((setting) => ['-c', setting])
  let server: ChildProcess | undefined
  const start = async () => {
    const stdio = ['ignore', 'ignore', 'pipe'] as const
    server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...options, stdio } as object)
    await until(server, /ready to accept connections/)
  }
  await start()
  return {
    port,
    start,
    stop: () => end(server, 'SIGQUIT'),
    async close() {
      await end(server, 'SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function openRedis(address: string, port: number): Promise<Store> {
  const args = ['--bind', address, '--port', String(port), '--protected-mode', 'no', '--save', '']
  let server: ChildProcess | undefined
  const start = async () => {
    server = spawn('redis-server', args, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] })
    await until(server, /ready to accept connections/i)
  }
  await start()
  return { port, start, stop: () => end(server, 'SIGKILL'), close: () => end(server, 'SIGKILL') }
}

/** Stands before a server that would forget everything if it were stopped itself. */
export async function openRelay(address: string, port: number, to: number): Promise<Store> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const inner = connect(to, '127.0.0.1')
    for (const socket of [client, inner]) {
      open.add(socket)
      socket.once('close', () => open.delete(socket)).on('error', () => {})
    }
    client.pipe(inner).once('close', () => client.destroy())
    inner.pipe(client).once('close', () => inner.destroy())
  })
  const start = async () => {
    server.listen(port, address)
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of open) socket.destroy()
    await once(server, 'close')
  }
  await start()
  return { port, start, stop, close: stop }
}
