import type { Config } from '../../config.ts'

/** How many serving processes this machine has. Only Linux spreads connections over several on one port. */
export const servingProcesses = ({ workers }: Pick<Config, 'workers'>): number =>
  process.platform === 'linux' ? workers : 1
