import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type InstallationOptions, install } from '#test/support/installation.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'
import type { Opened, Place } from './place.ts'

const NOBODY = 65534
const ORDINARY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups', '--'] as const
/** On a machine where these programs are not installed. */
const without = (...files: readonly string[]): [string, ...string[]] => [
  'unshare',
  ...[
    '--mount',
    'sh',
    '-c',
    `${files.map((file) => `mount --bind /dev/null ${file} && `).join('')}exec "$@"`,
  ],
  'sh',
]

const BWRAP = '/usr/bin/bwrap'
const NFT = '/usr/sbin/nft'
const asRoot = (before: [string, ...string[]]) => ({ as: { uid: 0, before } })
const asNobody = (before: readonly string[] = []) => {
  const [first = '', ...rest] = [...before, ...ORDINARY]
  return { as: { uid: NOBODY, before: [first, ...rest] as [string, ...string[]] } }
}

const SITUATIONS: readonly [name: string, Place['isolatedBy'], InstallationOptions][] = [
  ['root, everything installed, by `npm start`', 'bubblewrap', { byNpm: true }],
  ['root without nftables', 'bubblewrap', asRoot(without(NFT))],
  ['root without bubblewrap', 'namespaces', asRoot(without(BWRAP))],
  ['root without bubblewrap and nftables', 'namespaces', asRoot(without(BWRAP, NFT))],
  ['an ordinary user with bubblewrap', 'bubblewrap', asNobody()],
  ['an ordinary user without bubblewrap', 'namespaces', asNobody(without(BWRAP))],
  [
    'no sandbox (`ALOFT_SANDBOX=off`), an ordinary user',
    'none',
    { ...asNobody(), env: { ALOFT_SANDBOX: 'off' } },
  ],
]

const unreachable = process.cwd().startsWith('/root') && 'another user cannot reach this folder'

export const machinePlaces = (registry: string): readonly Place[] =>
  SITUATIONS.map(([name, isolatedBy, options]) => ({
    ...{ name, isolatedBy },
    missing: rootMissing || (options.as?.uid === NOBODY && unreachable),
    async open(): Promise<Opened> {
      const aloft = await install({
        ...options,
        env: { npm_config_registry: registry, ALOFT_WORKERS: '1', ...options.env },
      })
      return {
        aloft,
        printed: async () => aloft.stdout() + aloft.stderr(),
        async command(...args) {
          const env = { ...process.env, ALOFT_BASE_URL: aloft.url, ALOFT_TOKEN: aloft.token }
          const asked = promisify(execFile)(process.execPath, ['bin/aloft.js', ...args], { env })
          // What it finds amiss makes its code 1.
          return (await asked.catch((error: { stdout: string }) => error)).stdout
        },
        close: () => aloft.remove(),
      }
    },
  }))
