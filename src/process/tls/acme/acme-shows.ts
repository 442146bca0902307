import { Resolver } from 'node:dns/promises'
import { codeOf } from '#adapters/fs/error-code.ts'
import { bracketed } from '#contract/address-in-url.ts'
import { type Challenge, DNS_CHALLENGE } from '#core/certificate/challenge.ts'
import type { Config } from '../../../config/config.ts'
import { servingRange } from '../../supervisor/serving.ts'

/** Several processes answer at the port, and a question from another port of ours may go to another of them. */
const MAX_QUESTIONS = 8
const TIMEOUT_MS = 1000

/** Whether our own DNS shows a challenge. The other kinds are never remembered by those who show them. */
export function createShowsChallenge({
  host,
  dnsPort,
  workers,
}: Pick<Config, 'host' | 'dnsPort' | 'workers'>) {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const server = `${bracketed(address)}:${dnsPort}`

  async function isShown(name: string, value: string, signal: AbortSignal): Promise<boolean> {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
    resolver.setServers([server])
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return (await resolver.resolveTxt(name)).some((strings) => strings.join('') === value)
    } catch (error) {
      // On a machine that only works there is nobody to ask.
      return codeOf(error) === 'ECONNREFUSED'
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  return async ({ kind, host, value }: Challenge, signal: AbortSignal): Promise<boolean> => {
    if (kind !== 'dns-01') return true
    const questions = Array.from(
      { length: Math.min(servingRange({ workers }).most * 2, MAX_QUESTIONS) },
      () => isShown(`${DNS_CHALLENGE}${host}`, value, signal),
    )
    return (await Promise.all(questions)).every(Boolean)
  }
}
