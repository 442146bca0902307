import { type Allows, allowedAddresses } from '#core/outbound/allowed-addresses.ts'
import type { Config } from '../../config/config.ts'

/** Where requests on behalf of users may go from this machine. `ports` are further ones that it serves the public at. */
export const openAllows = (
  { privateTargets, port, tlsPort }: Pick<Config, 'privateTargets' | 'port' | 'tlsPort'>,
  ports: readonly number[] = [],
): Allows => allowedAddresses(privateTargets, { servedPorts: [80, 443, port, tlsPort, ...ports] })
