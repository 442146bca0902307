import { AloftError } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Alias } from './alias.ts'
import type { HostHolder, HostStore } from './host-store.ts'

export interface Pointed {
  readonly alias: Alias
  /** The deployment it pointed to before; undefined when the alias is new. */
  readonly previous: string | undefined
}

interface Destination {
  readonly ownerId: string
  readonly projectId: string
  readonly deploymentId: string
  readonly production: boolean
}

const inUse = (host: string) =>
  new AloftError('alias_in_use', `The alias \`${host}\` belongs to another account.`, { alias: host })

/** Why an account cannot have this name, or undefined when it can. */
export async function obstacle(
  hosts: HostStore,
  host: string,
  ownerId: string,
): Promise<AloftError | undefined> {
  return heldBy(await hosts.holder(host), host, ownerId)
}

/** The same where it is known who has it. */
export function heldBy(
  holder: HostHolder | undefined,
  host: string,
  ownerId: string,
): AloftError | undefined {
  if (!holder) return undefined
  if (holder.kind === 'deployment')
    return new AloftError('invalid_alias', `\`${host}\` is the URL of a deployment.`, { alias: host })
  return holder.ownerId === ownerId ? undefined : inUse(host)
}

/** Points a name to a deployment, inside the caller's transaction. An alias that moves keeps its id. */
export async function pointAlias(
  hosts: HostStore,
  host: string,
  to: Destination,
  now: number,
): Promise<Pointed> {
  const holder = await hosts.holder(host)
  const problem = heldBy(holder, host, to.ownerId)
  if (problem) throw problem
  if (holder?.kind === 'alias') {
    const { kind: _, ...known } = holder
    if (!(await hosts.point(host, known.deploymentId, to))) throw new Raced(host)
    return { alias: { ...known, ...to }, previous: known.deploymentId }
  }
  const alias: Alias = { id: newId.alias(), host, createdAt: now, ...to }
  if (!(await hosts.claimAlias(alias))) throw new Raced(host)
  return { alias, previous: undefined }
}

/** Somebody else moved the name, or deleted the deployment, after both were looked at. */
class Raced extends AloftError {
  constructor(host: string) {
    super('conflict', `The alias \`${host}\` was changed by someone else at the same time. Try again.`, {
      alias: host,
    })
  }
}

/** The outcome of pointing names. If it failed because of somebody else, `look` throws where the deployment is the reason. */
export async function unlessRaced<T>(pointing: Promise<T>, look: () => Promise<unknown>): Promise<T> {
  try {
    return await pointing
  } catch (error) {
    if (error instanceof Raced) await look()
    throw error
  }
}
