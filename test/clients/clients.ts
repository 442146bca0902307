import { actionSteps } from './action.ts'
import { cliSteps } from './cli.ts'
import { earlySteps, librarySteps } from './libraries.ts'
import { type Instead, installAction, installPackage } from './packages.ts'
import type { Place } from './place.ts'
import type { StepRecorder } from './report.ts'
import { sdkSteps } from './sdk.ts'

interface Client {
  readonly name: string
  readonly version: string
  /** The Node.js that it is run by; ours, when left out. Those of the time before complain of today's. */
  readonly node?: string
  readonly install: () => Promise<string>
  readonly run: (place: Place, folder: string, recorder: StepRecorder, node: string) => Promise<void>
}

const OLDER_NODE = '16.20.2'
const library = (name: string, version: string, run: Client['run']): Client => ({
  name,
  version,
  install: () => installPackage(name, version),
  run,
})
const cli = (
  command: 'now' | 'vercel',
  version: string,
  { node, instead }: { node?: string; instead?: Instead } = {},
): Client => ({
  name: command,
  version,
  ...(node === undefined ? {} : { node }),
  install: () => installPackage(command, version, instead),
  run: cliSteps({ command, major: Number.parseInt(version, 10) }),
})
const action = (repository: string, version: string): Client => ({
  name: repository,
  version,
  install: () => installAction(repository, version),
  run: actionSteps,
})
const old = { node: OLDER_NODE }

/** Old, in between, and the newest that installs. */
export const CLIENTS: readonly Client[] = [
  library('@vercel/sdk', '1.2.0', sdkSteps),
  library('@vercel/sdk', '1.19.40', sdkSteps),
  library('@vercel/sdk', '1.28.35', sdkSteps),
  library('@vercel/client', '8.2.1', librarySteps),
  library('@vercel/client', '12.2.4', librarySteps),
  library('@vercel/client', '18.4.2', librarySteps),
  library('now-client', '0.7.0', earlySteps),
  library('now-client', '8.2.1', librarySteps),
  library('now-client', '9.0.4', librarySteps),
  cli('now', '16.7.3', old),
  cli('now', '18.0.0', old),
  cli('now', '21.0.1', old),
  cli('vercel', '20.1.4', old),
  cli('vercel', '25.2.3', old),
  cli('vercel', '28.20.0'),
  cli('vercel', '37.14.0'),
  cli('vercel', '60.1.3'),
  // It names a version of what its command `sandbox` is made of that npm does not find; there is a later one.
  cli('vercel', '64.0.2', { instead: { sandbox: '4.5.0' } }),
  action('amondnet/vercel-action', '25.2.0'),
  action('amondnet/vercel-action', '42.1.0'),
]
