import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis, type RedisOptions } from 'ioredis'

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',').includes('redis')

/** For the `skip` of a test that needs Redis. */
export const withoutRedis: string | false = missing && 'redis is not installed'

type ClientOptions = Omit<RedisOptions, 'replyMapping'>

export interface TestRedis {
  readonly socket: string
  /** A client that `stop` closes. */
  connect(options?: ClientOptions): Redis
  /** Resolves once so many connections listen to channels. */
  untilListening(count: number): Promise<void>
  /** Ends the server at once; its data is gone. */
  kill(): Promise<void>
  /** Starts it again on the same socket. */
  restart(): Promise<void>
  /** Makes it keep its connections but answer nothing, until `thaw`. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** A Redis of one's own, on a socket in a folder of its own: nothing on the machine can clash with it. */
export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-redis-'))
  const socket = join(folder, 'socket')
  const clients: Redis[] = []
  let server = await launch(folder, socket)

  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }

  const connect = (options: ClientOptions = {}) => {
    const client = new Redis({ path: socket, ...options })
    client.on('error', () => {})
    clients.push(client)
    return client
  }

  return {
    socket,
    connect,
    async untilListening(count) {
      const client = connect()
      for (;;) {
        const list = await client.call('CLIENT', 'LIST', 'TYPE', 'pubsub')
        if (String(list).split('\n').filter(Boolean).length >= count) return
      }
    },
    kill,
    async restart() {
      await kill()
      server = await launch(folder, socket)
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      for (const client of clients) client.disconnect()
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(folder: string, socket: string): Promise<ChildProcess> {
  const settings = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ]
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  // A test run that ends early leaves no server behind.
  const onExit = () => server.kill('SIGKILL')
  process.once('exit', onExit)
  server.once('exit', () => process.off('exit', onExit))
  const seen: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>()
  createInterface({ input: server.stdout }).on('line', (line) => {
    seen.push(line)
    if (/ready to accept connections/i.test(line)) resolve(server)
  })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`redis-server ended:\n${seen.join('\n')}`)))
  return promise
}
