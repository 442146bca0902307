import { isAlive, type Machine } from './machine.ts'

interface HasOrigin {
  readonly origin: string
}

/** The machines on which a deployment for these regions runs: those of its regions, and any where none of these is there. */
export function machinesFor<M extends HasOrigin>(
  regions: readonly string[],
  machines: readonly M[],
): readonly M[] {
  const wanted = machines.filter(({ origin }) => regions.includes(origin))
  return wanted.length > 0 ? wanted : machines
}

/** The regions that machines of an installation are in. */
export const originsOf = (machines: readonly HasOrigin[]): ReadonlySet<string> =>
  new Set(machines.map(({ origin }) => origin))

/**
 * The regions that a deployment for these regions is in. An installation in one place stands for all of them; one in several
 * says where it has machines that answer.
 */
export function regionsReached(regions: readonly string[], machines: readonly Machine[]): readonly string[] {
  const alive = machines.filter(isAlive)
  if (originsOf(machines).size < 2) return regions
  return [...originsOf(machinesFor(regions, alive))].toSorted()
}

/**
 * How many of the instances that a deployment always has are for one machine to run, so that all of them together run as many.
 * Every machine comes to the same result by itself; which one gets what cannot be divided differs from deployment to deployment.
 */
export function shareOf(total: number, machine: string, { among, deployment }: ShareOptions): number {
  const names = among.toSorted()
  const first = [...deployment].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % names.length
  const place = (names.indexOf(machine) - first + names.length) % names.length
  return Math.floor(total / names.length) + (place < total % names.length ? 1 : 0)
}

interface ShareOptions {
  /** The names of the machines that share them. */
  readonly among: readonly string[]
  readonly deployment: string
}
