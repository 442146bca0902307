import { spawn } from 'node:child_process'
import { onLoadCore } from './cores.ts'
import { isTrial } from './trial.ts'

/** Asks for one address over HTTP/2; answers how many requests were served. */
export async function h2load(
  url: string,
  seconds: number,
  { Host: host, ...headers }: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (seconds === 0) return 0
  const all = { ...headers, ...(host === undefined ? {} : { ':authority': host }) }
  const extra = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const howLong = isTrial ? ['--requests=128'] : [`--duration=${seconds}`, '--warm-up-time=0']
  const args = ['-t1', '-c8', '-m16', ...howLong, ...extra, url]
  const child = spawn(...onLoadCore('h2load', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const served = /status codes: (\d+) 2xx/.exec(output)?.[1]
  const failed = / ([1-9]\d*) [345]xx/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return Number(served)
}
