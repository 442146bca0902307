import type { Check } from '#core/operator/status.ts'
import { connectEngine } from '../docker/engine/engine.ts'
import { readEngineAddress } from '../docker/engine/engine-address.ts'
import type { EngineInfo } from '../docker/engine/engine-types.ts'
import { SwarmEngine } from './swarm-engine.ts'
import type { SwarmNode } from './swarm-types.ts'

const NAME = 'swarm'
const LABEL = /^dev\.aloft\.[0-9a-f]{12}$/

/** Whether the swarm that this machine's engine is part of can be used, in words for the operator. */
export async function checkSwarm(host: string | undefined): Promise<Check> {
  try {
    const engine = await connectEngine(readEngineAddress(host))
    const { Swarm } = await engine.info()
    const nodes = Swarm?.ControlAvailable ? await new SwarmEngine(engine.http).nodes() : undefined
    return swarmCheck(Swarm, nodes)
  } catch (error) {
    return {
      name: NAME,
      ok: false,
      message: (error as Error).message,
      hint: 'Start the Docker Engine of this machine. Deployments that are images do not start until then.',
    }
  }
}

export function swarmCheck(swarm: EngineInfo['Swarm'], nodes: readonly SwarmNode[] | undefined): Check {
  if (swarm?.LocalNodeState !== 'active')
    return {
      name: NAME,
      ok: false,
      message: `the Docker Engine of this machine is no node of a swarm (${swarm?.LocalNodeState || 'inactive'})`,
      hint: 'Run `docker swarm join` with the line that `docker swarm join-token manager` prints on another machine.',
    }
  if (nodes === undefined)
    return {
      ...{ name: NAME, ok: true, warning: true },
      message:
        'this node is no manager, or the managers have no majority: it runs what others start, and starts nothing',
      hint: 'Run `docker node promote` for this node on a manager, or bring the lost managers back.',
    }
  const used = nodes.filter(({ Spec }) => Object.keys(Spec.Labels ?? {}).some((name) => LABEL.test(name)))
  const away = nodes.filter(({ Status }) => Status.State !== 'ready')
  const words = `${used.length} of ${nodes.length} nodes run deployments`
  if (away.length === 0) return { name: NAME, ok: true, message: words }
  return {
    ...{ name: NAME, ok: true, warning: true },
    message: `${words}; ${away.length} ${away.length === 1 ? 'is' : 'are'} not reached`,
    hint: '`docker node ls` on a manager says which.',
  }
}
