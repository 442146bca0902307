/** A thread that asks for one address over and over, and tells how long the slowest answer of each stretch took. */
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { oneConnection, send } from './send.ts'

interface Aim {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

interface Prober {
  /** Milliseconds of the slowest request that ended since the last call, or is under way. */
  longest(): Promise<number>
  stop(): Promise<void>
}

export function startProber(aim: Aim): Prober {
  const worker = new Worker(new URL(import.meta.url), { workerData: aim })
  return {
    async longest() {
      worker.postMessage('longest')
      const [longest] = await once(worker, 'message')
      return longest
    },
    async stop() {
      await worker.terminate()
    },
  }
}

async function probe({ url, headers }: Aim): Promise<void> {
  const agent = oneConnection()
  let longest = 0
  parentPort?.on('message', () => {
    parentPort?.postMessage(longest)
    longest = 0
  })
  for (;;) {
    const start = performance.now()
    const { status } = await send({ url, headers, agent })
    if (status !== 200) throw new Error(`${url}: ${status}`)
    longest = Math.max(longest, performance.now() - start)
  }
}

if (parentPort !== null) await probe(workerData as Aim)
