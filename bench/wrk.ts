import { spawn } from 'node:child_process'
import { onLoadCore } from './cores.ts'

const CONNECTIONS = 32

/** Asks for one address over connections that are kept alive; answers how many requests were served. */
export async function wrk(
  url: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (seconds === 0) return 0
  const extra = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-t1', '--timeout', '20s', `-c${CONNECTIONS}`, `-d${seconds}s`, ...extra, url]
  const child = spawn(...onLoadCore('wrk', args), { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = (await child.stdout.setEncoding('utf8').toArray()).join('')
  const served = /(\d+) requests in/.exec(output)?.[1]
  const failed = /Non-2xx[^\n]*|Socket errors[^\n]*/.exec(output)?.[0]
  if (served === undefined || served === '0' || failed !== undefined)
    throw new Error(`${url}: ${failed ?? output}`)
  return Number(served)
}
