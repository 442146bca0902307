import type { Static } from 'typebox'
import type { Domain } from '#contract/api/domain.ts'
import type { Output } from '../output/output.ts'
import { plainText } from '../output/plain-text.ts'

/** What there is to say of a domain after it was added or looked up. */
export function stateOf(domain: Static<typeof Domain>, { colors }: Output): string {
  const name = plainText(domain.name)
  if (domain.verified)
    return `${name} is verified. Serve a project from it: aloft domains attach ${name} <project>`
  return [
    `${name} is not verified yet. Do one of these, then run: aloft domains verify ${name}`,
    `  1. create a ${colors.bold('TXT')} record on _platform.${name} with the value ${plainText(domain.verificationRecord)}`,
    `  2. set these nameservers at its registrar: ${plainText(domain.intendedNameservers.join(', '))}`,
  ].join('\n')
}
