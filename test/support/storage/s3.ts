import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MOTO } from '../../../scripts/debian.js'
import { freePort } from '../free-port.ts'

const missing = (process.env.ALOFT_TEST_MISSING ?? '').split(',').includes('moto')

/** For the `skip` of a test that needs an object store. */
export const withoutS3: string | false = missing && 'moto is not installed'

export interface TestS3 {
  readonly endpoint: string
  /** Makes one that nobody else uses, and answers its address as in `ALOFT_BLOB_URL`. */
  makeBucket(prefix?: string): Promise<string>
  /** Makes it keep its connections but answer nothing, until `thaw`. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

async function makeBucket(endpoint: string, prefix = ''): Promise<string> {
  const bucket = `bucket-${randomUUID()}`
  const { status } = await fetch(`${endpoint}/${bucket}`, { method: 'PUT' })
  if (status !== 200) throw new Error(`moto made no bucket: ${status}`)
  return `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1`
}

/** One in which others have buckets, too. */
export type SharedS3 = Pick<TestS3, 'endpoint' | 'makeBucket' | 'stop'>

/** Where the one listens that `npm test` has started for all files. A file that is run by itself starts its own. */
const { ALOFT_TEST_S3: shared } = process.env

/** An object store for whoever needs no more than buckets: to start one costs nearly a second of processor time. */
export const shareS3 = async (): Promise<SharedS3> =>
  shared === undefined
    ? startS3()
    : { endpoint: shared, makeBucket: (prefix) => makeBucket(shared, prefix), stop: async () => {} }

/** An object store of one's own in memory: moto, which speaks S3 and looks at no signature. */
export async function startS3(): Promise<TestS3> {
  const port = await freePort()
  const program = 'import sys; from moto.server import main; main(sys.argv[1:])'
  const server = spawn('/usr/bin/python3', ['-c', program, '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // What was compiled once serves the next, and nothing is written beside what the system has installed.
    env: {
      ...process.env,
      PYTHONPATH: MOTO,
      PYTHONPYCACHEPREFIX: join(tmpdir(), 'aloft-test-python'),
      PYTHONDONTWRITEBYTECODE: '',
    },
  })
  const onExit = () => server.kill('SIGKILL')
  process.once('exit', onExit)
  server.once('exit', () => process.off('exit', onExit))
  const seen: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  createInterface({ input: server.stderr }).on('line', (line) => {
    if (seen.length < 50) seen.push(line)
    if (line.includes('Running on')) resolve()
  })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`moto ended:\n${seen.join('\n')}`)))
  await promise
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    makeBucket: (prefix) => makeBucket(endpoint, prefix),
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
  }
}
