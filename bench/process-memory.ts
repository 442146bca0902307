import { readdir, readFile } from 'node:fs/promises'

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
