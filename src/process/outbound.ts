import { type Allows, allowedAddresses } from '#core/outbound/allowed-addresses.ts'
import type { Config } from '../config.ts'

/** Where requests on behalf of users may go from this machine. */
export const openAllows = ({
  privateTargets,
  port,
  tlsPort,
}: Pick<Config, 'privateTargets' | 'port' | 'tlsPort'>): Allows =>
  allowedAddresses(privateTargets, { servedPorts: [80, 443, port, tlsPort] })
