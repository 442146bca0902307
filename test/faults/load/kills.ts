import { createRandom } from './random.ts'
import type { World } from './world.ts'

export const VICTIMS = ['serving process', 'working process', 'function', 'supervisor'] as const
export type Victim = (typeof VICTIMS)[number]

/** Kills one of them, without any warning. */
export async function kill(world: World, victim: Victim, choose: (count: number) => number): Promise<void> {
  const { aloft } = world
  if (victim === 'supervisor') {
    await aloft.stop('SIGKILL')
    return world.startAgain()
  }
  const pids =
    victim === 'function'
      ? await world.programs()
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
  for (let round = 0; round < rounds; round++) {
    const victim = random.pick(VICTIMS)
    await world.answers(random.below(60))
    const at = performance.now()
    await kill(world, victim, random.below)
    const seconds = await world.recovered(at)
    yield { victim, seconds, lost: await world.lost() }
  }
}
