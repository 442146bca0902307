import * as api from '#contract/api/machine.ts'
import { isAlive, type Machine } from '#core/machine/machine.ts'
import type { Machines } from '#core/machine/machines.ts'
import { type Route, route } from '../route.ts'

const shown = (machine: Machine) => ({
  ...machine,
  address: machine.address ?? null,
  isAlive: isAlive(machine),
})

export const machineRoutes = ({ machines }: { readonly machines: Machines }): readonly Route[] => [
  route(api.listMachines, async () => ({ machines: (await machines.list()).map(shown) })),
  route(api.updateMachine, async (_ctx, { params, body }) => ({
    machines: (await machines.setDraining(params.name, body.draining)).map(shown),
  })),
]
