/** Everything left on the machine carries its opener in its name, so that a later opening can clear what outlived it. */
export interface Owner {
  readonly pid: number
  /** Tells the sandboxes of one process apart. */
  readonly opening: number
}

let openings = 0

export const nextOwner = (): Owner => ({ pid: process.pid, opening: openings++ })

export const ownerName = (owner: Owner): string => `aloft-${owner.pid}-${owner.opening}`

const NAME = /^aloft-(\d+)-\d+(?:-.*)?$/

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Whether a name is one of ours whose process is gone. */
export function isStale(name: string): boolean {
  const pid = NAME.exec(name)?.[1]
  return pid !== undefined && !alive(Number(pid))
}
