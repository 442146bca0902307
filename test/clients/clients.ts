import { cliJourney } from './cli.ts'
import { earlyJourney, libraryJourney } from './libraries.ts'
import type { Place } from './place.ts'
import type { Journey } from './report.ts'
import { sdkJourney } from './sdk.ts'

export interface Client {
  readonly name: string
  readonly version: string
  /** The Node.js that it is run by; ours, when left out. Those of the time before complain of today's. */
  readonly node?: string
  readonly travel: (place: Place, folder: string, journey: Journey, node: string) => Promise<void>
}

const OLDER_NODE = '16.20.2'
const cli = (command: 'now' | 'vercel', version: string, node?: string): Client => ({
  name: command,
  version,
  ...(node === undefined ? {} : { node }),
  travel: cliJourney({ command, major: Number.parseInt(version, 10) }),
})

/** Old, in between, and the newest that installs. */
export const CLIENTS: readonly Client[] = [
  { name: '@vercel/sdk', version: '1.2.0', travel: sdkJourney },
  { name: '@vercel/sdk', version: '1.19.40', travel: sdkJourney },
  { name: '@vercel/sdk', version: '1.28.35', travel: sdkJourney },
  { name: '@vercel/client', version: '8.2.1', travel: libraryJourney },
  { name: '@vercel/client', version: '12.2.4', travel: libraryJourney },
  { name: '@vercel/client', version: '18.4.2', travel: libraryJourney },
  { name: 'now-client', version: '0.7.0', travel: earlyJourney },
  { name: 'now-client', version: '8.2.1', travel: libraryJourney },
  { name: 'now-client', version: '9.0.4', travel: libraryJourney },
  cli('now', '16.7.3', OLDER_NODE),
  cli('now', '18.0.0', OLDER_NODE),
  cli('now', '21.0.1', OLDER_NODE),
  cli('vercel', '20.1.4', OLDER_NODE),
  cli('vercel', '25.2.3', OLDER_NODE),
  cli('vercel', '28.20.0'),
  cli('vercel', '37.14.0'),
  cli('vercel', '60.1.3'),
]
