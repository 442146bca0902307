/** A thread that asks for one address at a steady pace, and tells how long the slowest of a hundred took. */
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { oneConnection, send } from './send.ts'

interface Aim {
  readonly url: string
  readonly host: string
  readonly seconds: number
  readonly paceMs: number
}

/** In a thread of its own, or what the caller itself does meanwhile would be measured with it. */
export async function p99Of(aim: Aim): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: aim })
  const [ms] = await once(worker, 'message')
  await worker.terminate()
  return ms
}

async function measure({ url, host, seconds, paceMs }: Aim): Promise<number> {
  const agent = oneConnection()
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    const { status } = await send({ url, headers: { host }, agent })
    if (status !== 200) throw new Error(`the quiet site answered ${status}`)
    waits.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, paceMs))
  }
  agent.destroy()
  waits.sort((a, b) => a - b)
  return waits[Math.floor(waits.length * 0.99)] as number
}

if (parentPort !== null) parentPort.postMessage(await measure(workerData as Aim))
