/** Users of sandboxes per process of the platform. */
const SLOTS = 64
/** Above what distributions, containers and directories hand out; with 64 for every possible pid it ends at 2³¹. */
const HIGH = 0x70000000
/** For a platform in a user namespace of its own, which often has 65,536 users. */
const LOW = 61_000

/** Whether /proc/self/uid_map (lines of `inside outside count`) has all users of a range. */
const mapped = (uidMap: string, first: number): boolean =>
  uidMap.split('\n').some((line) => {
    const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return inside <= first && first + SLOTS <= inside + count
  })

export interface UserIds {
  /** A user that no other run of this process has, unless more run at once than there are users. */
  take(): number
  release(uid: number): void
}

/** Undefined where this machine has no users to spare. */
export function createUserIds(pid: number, uidMap: string): UserIds | undefined {
  const first = [HIGH + pid * SLOTS, LOW].find((candidate) => mapped(uidMap, candidate))
  if (first === undefined) return undefined
  const runs = new Array<number>(SLOTS).fill(0)
  return {
    take() {
      const slot = runs.indexOf(Math.min(...runs))
      runs[slot] = (runs[slot] ?? 0) + 1
      return first + slot
    },
    release(uid) {
      runs[uid - first] = (runs[uid - first] ?? 1) - 1
    },
  }
}
