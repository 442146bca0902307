import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds that the threads of these processes have run. Undefined where the kernel does not count them. */
export async function processorMs(pids: readonly number[]): Promise<number | undefined> {
  const times = (await Promise.all(pids.map(ofThreads))).flat()
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0)
}

async function ofThreads(pid: number): Promise<readonly number[]> {
  const tasks = `/proc/${pid}/task`
  const threads = await readdir(tasks).catch(() => [])
  const times = await Promise.all(
    threads.map((thread) => readFile(`${tasks}/${thread}/schedstat`, 'utf8').catch(() => '')),
  )
  return times.flatMap((text) => {
    const nanoseconds = /^\d+/.exec(text)?.[0]
    return nanoseconds === undefined ? [] : [Number(nanoseconds) / 1e6]
  })
}
