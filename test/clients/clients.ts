import { earlyJourney, libraryJourney } from './libraries.ts'
import { nowJourney } from './now-cli.ts'
import type { Place } from './place.ts'
import type { Journey } from './report.ts'
import { sdkJourney } from './sdk.ts'
import { vercelJourney } from './vercel-cli.ts'

export interface Client {
  readonly name: string
  readonly version: string
  readonly travel: (place: Place, folder: string, journey: Journey) => Promise<void>
}

/** Old, in between, and the newest that installs. */
export const CLIENTS: readonly Client[] = [
  { name: '@vercel/sdk', version: '1.2.0', travel: sdkJourney },
  { name: '@vercel/sdk', version: '1.28.35', travel: sdkJourney },
  { name: '@vercel/client', version: '8.2.1', travel: libraryJourney },
  { name: '@vercel/client', version: '12.2.4', travel: libraryJourney },
  { name: '@vercel/client', version: '18.4.2', travel: libraryJourney },
  { name: 'now-client', version: '0.7.0', travel: earlyJourney },
  { name: 'now-client', version: '8.2.1', travel: libraryJourney },
  { name: 'now-client', version: '9.0.4', travel: libraryJourney },
  { name: 'now', version: '21.0.1', travel: nowJourney },
  { name: 'vercel', version: '28.20.0', travel: vercelJourney(28) },
  { name: 'vercel', version: '37.14.0', travel: vercelJourney(37) },
  { name: 'vercel', version: '60.1.3', travel: vercelJourney(60) },
]
