import { createRandom } from './random.ts'
import type { World } from './world.ts'

export const VICTIMS = ['serving process', 'working process', 'function', 'supervisor'] as const
type Victim = (typeof VICTIMS)[number]

/** The load calls functions all the time; after other faults it takes a moment until one runs again. */
async function someProgram(world: World): Promise<readonly number[]> {
  for (let n = 0; ; n++) {
    const pids = await world.programs()
    if (pids.length > 0 || n === 200) return pids
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Kills one of them, without any warning. */
async function kill(world: World, victim: Victim, choose: (count: number) => number): Promise<void> {
  const { aloft } = world
  if (victim === 'supervisor') {
    await aloft.stop('SIGKILL')
    return world.startAgain()
  }
  const pids =
    victim === 'function'
      ? await someProgram(world)
      : await aloft.children(victim === 'serving process' ? 'serve' : 'work')
  const pid = pids[choose(pids.length)]
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export interface Kill {
  readonly victim: Victim
  readonly seconds: number
  readonly lost: readonly string[]
}

/** So many kills in a row, chosen by the seed, each after some of the load was answered; the model is checked after each. */
export async function* randomKills(world: World, rounds: number, seed: number): AsyncGenerator<Kill> {
  const random = createRandom(seed)
  // Each of them once in four rounds, in an order of its own: else a short run may leave one out.
  let left: Victim[] = []
  for (let round = 0; round < rounds; round++) {
    if (left.length === 0) left = [...VICTIMS]
    const [victim] = left.splice(random.below(left.length), 1) as [Victim]
    await world.answers(random.below(60))
    const at = performance.now()
    await kill(world, victim, random.below)
    const seconds = await world.recovered(at)
    yield { victim, seconds, lost: await world.lost() }
  }
}
