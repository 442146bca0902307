import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { rootCertificates } from 'node:tls'
import { joinCertificates } from '../../src/core/outbound/join-certificates.ts'

/**
 * Writes whom Node.js is to trust besides those that it trusts by itself, and answers the file; undefined where there is
 * nobody. A machine with an authority of its own often names everybody that it trusts, and every process that may speak
 * TLS reads them all when it starts.
 */
export function writeOthers(named: string, file: string): string | undefined {
  const known = joinCertificates(rootCertificates)
  const others = joinCertificates([known, readFileSync(named, 'utf8')]).slice(known.length)
  if (others === '') return undefined
  writeFileSync(file, others)
  // Some tests are other users.
  chmodSync(dirname(file), 0o711)
  return file
}
