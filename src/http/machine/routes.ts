import * as api from '#contract/api/machine.ts'
import type { Joining } from '#core/machine/joining.ts'
import { isAlive, type Machine } from '#core/machine/machine.ts'
import type { Machines } from '#core/machine/machines.ts'
import { publicRoute, type Route, route } from '../route.ts'

const shown = (machine: Machine) => ({
  ...machine,
  address: machine.address ?? null,
  publicAddresses: [...machine.publicAddresses],
  isAlive: isAlive(machine),
})

interface MachineParts {
  readonly machines: Machines
  readonly joining: Joining
}

export const machineRoutes = ({ machines, joining }: MachineParts): readonly Route[] => [
  route(api.listMachines, async () => ({ machines: (await machines.list()).map(shown) })),
  route(api.updateMachine, async (_ctx, { params, body }) => ({
    machines: (await machines.setDraining(params.name, body.draining)).map(shown),
  })),
  route(api.removeMachine, async (_ctx, { params: { name } }) => {
    await machines.remove(name)
    return { name }
  }),
  route(api.inviteMachine, () => joining.invite()),
  publicRoute(api.joinInstallation, async (_visit, { body }) => ({ sealed: await joining.join(body.id) })),
]
