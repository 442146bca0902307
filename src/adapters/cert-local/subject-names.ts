import { isIP } from 'node:net'

export interface SubjectName {
  readonly type: 'dns' | 'ip'
  readonly value: string
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** A wildcard stands for exactly one whole label, the leftmost. */
function isDnsName(name: string): boolean {
  if (name.length > 253) return false
  const labels = name.split('.')
  if (labels[0] === '*' && labels.length > 1) labels.shift()
  return labels.every((label) => LABEL.test(label))
}

/** The alternative names of a certificate, each once; throws on what is no host name and no address. */
export function subjectNames(names: readonly string[]): SubjectName[] {
  if (names.length === 0) throw new TypeError('A certificate needs at least one name')
  return [...new Set(names.map((name) => name.toLowerCase()))].map((value) => {
    if (isIP(value)) return { type: 'ip', value }
    if (isDnsName(value)) return { type: 'dns', value }
    throw new TypeError(`Neither a host name nor an IP address: ${JSON.stringify(value)}`)
  })
}
