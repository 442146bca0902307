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

/** The four or sixteen bytes of an address. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // An address of the Web is written in one way only, without dots and in as few digits as there are.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [first, last] = [before, after ?? ''].map((text) => text.split(':').filter(Boolean)) as [
    string[],
    string[],
  ]
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
