import { readdir, readFile } from 'node:fs/promises'

/**
 * Megabytes of processes: what each has written to, and once what they read from files, such as the program itself. Other
 * programs on the machine that read the same files take nothing off it.
 */
export async function megabytesOf(pids: readonly number[]): Promise<number> {
  let written = 0
  let read = 0
  for (const pid of pids) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0)
    const anonymous = kilobytes('Anonymous')
    written += anonymous
    read = Math.max(read, kilobytes('Rss') - anonymous)
  }
  return (written + read) / 1024
}

/** The same of a process and of everything it started. */
export async function familyMegabytes(root: number | undefined): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isFamily = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isFamily(parents.get(pid)))
  return megabytesOf([...parents.keys()].filter(isFamily))
}

/** The most memory, in bytes, that any one of the processes that another has started ever had. */
export async function mostMemoryOfChildren(root: number): Promise<number> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
      const numberOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
      return { pid: Number(name), parent: numberOf('PPid'), bytes: numberOf('VmHWM') * 1024 }
    }),
  )
  let most = 0
  const todo = [root]
  for (let next = todo.pop(); next !== undefined; next = todo.pop())
    for (const { pid, parent, bytes } of processes)
      if (parent === next) {
        most = Math.max(most, bytes)
        todo.push(pid)
      }
  return most
}
