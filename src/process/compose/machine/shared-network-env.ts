import { fileURLToPath } from 'node:url'
import type { OwnSites } from '#core/outbound/own-sites.ts'

const launcher = (path: string): string =>
  fileURLToPath(new URL(`../../../launcher/${path}`, import.meta.url))

/**
 * Without a sandbox nothing leads a build's connections anywhere: Node.js and Python are told where the sites of this
 * installation are by what they load first. Other programs find those that the machine itself finds. Node.js keeps to the
 * packages in the data folder as well: above it may be those of the platform.
 */
export const sharedNetworkEnv = (
  sites: OwnSites | undefined,
  dataDir: string,
): Readonly<Record<string, string>> => ({
  ALOFT_HOST_NETWORK: JSON.stringify({ sites, folder: dataDir }),
  NODE_OPTIONS: `--require ${JSON.stringify(launcher('node/host-network/preload.cjs'))}`,
  PYTHONPATH: launcher('python/preload'),
})
