import { withoutBrackets } from '#contract/address-in-url.ts'
import { getStatus } from '#contract/api/operator.ts'
import type { Cli } from '../../cli.ts'
import { defineCommand } from '../../command.ts'
import { BadOutcome } from '../../exit.ts'
import { plainText } from '../../output/plain-text.ts'
import { operatorHints } from '../hints.ts'
import type { Check } from './check.ts'
import { checkDelegation, checkDnsServer, checkWildcard } from './dns.ts'
import { checkBaseUrl, checkClock, checkTls } from './from-outside.ts'

export const command = defineCommand({
  doing: 'check the installation',
  teamless: true,
  about:
    'Checks the server itself and from this machine: DNS, TLS, URLs and clocks. Explains how to fix each problem, and exits with 1 if there is one.',
  examples: [
    ['operator doctor', 'after an installation or an upgrade'],
    ['operator doctor --json', 'for monitoring'],
  ],
  hints: operatorHints,
  async run(cli) {
    const { out } = cli
    const checks = await examine(cli)
    const failing = checks.filter(({ ok }) => !ok)
    out.show({ ok: failing.length === 0, checks }, () => checks.map((check) => show(cli, check)).join('\n'))
    if (failing.length > 0) throw new BadOutcome(`${failing.length} of ${checks.length} checks failed.`)
  },
})

async function examine(cli: Cli): Promise<readonly Check[]> {
  const asked = cli.now()
  const status = await cli.api().call(getStatus)
  const clock = checkClock(status, asked, cli.now())
  // IPv6 addresses stand in brackets in a URL.
  const host = withoutBrackets(new URL(cli.baseUrl).hostname)
  const [baseUrl, tls, dns, wildcard, delegation] = await Promise.all([
    checkBaseUrl(status),
    checkTls(status, host, cli.now()),
    checkDnsServer(status, host),
    checkWildcard(status),
    checkDelegation(status),
  ])
  return [...status.checks, clock, baseUrl, tls, ...dns, wildcard, ...(delegation ? [delegation] : [])]
}

function show({ out }: Cli, { name, ok, warning, message, hint }: Check): string {
  const { green, red, yellow, bold } = out.colors
  const line = `${warning ? yellow('warn') : ok ? green('ok  ') : red('FAIL')} ${bold(name.padEnd(13))} ${plainText(message)}`
  return hint === undefined ? line : `${line}\n     ${''.padEnd(13)} → ${plainText(hint)}`
}
