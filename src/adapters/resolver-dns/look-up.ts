import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { isLocalName } from '#contract/local-name.ts'
import type { LookUpAll } from '#core/outbound/guarded-lookup.ts'
import { LATE, withinTime } from '#core/within-time.ts'
import { isNothing } from './is-nothing.ts'

interface LookUpParts {
  /** `ip:port` each; the system's when undefined. */
  readonly servers?: readonly string[]
  /** Milliseconds for one attempt with one server. */
  readonly tryMs?: number
  /** Milliseconds after which nobody waits any longer, however many servers there are. */
  readonly wholeMs?: number
  readonly hostsFile?: string
  readonly resolvFile?: string
  readonly now?: () => number
}

const TRIES = 2
/** For so long what a file of the system said is believed without a look. */
const CHECK_MS = 5000

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

class LookUpError extends Error {
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN'

  constructor(code: LookUpError['code'], hostname: string, cause?: unknown) {
    super(`${hostname} could not be looked up: ${code}`, { cause })
    this.code = code
  }
}

/**
 * Looks names up as the system does, by /etc/hosts and then by DNS. The system's own call keeps a thread for as long as the servers
 * of a name like to take, and there are few of these threads: with a handful of names whose servers are silent, nobody else's would be
 * looked up. Here nobody waits but whoever asks for such a name.
 */
export function createLookUp({
  servers,
  tryMs = 2000,
  wholeMs = 8000,
  hostsFile = '/etc/hosts',
  resolvFile = '/etc/resolv.conf',
  now = () => performance.now(),
}: LookUpParts = {}): LookUpAll {
  const hosts = readAgain(hostsFile, readHosts, now)
  const dns = readAgain(
    resolvFile,
    (text) => {
      // It knows the servers that the file names at the moment.
      const resolver = new Resolver({ timeout: tryMs, tries: TRIES })
      if (servers) resolver.setServers(servers)
      return { resolver, ...readSearch(text) }
    },
    now,
  )

  async function find(hostname: string, wanted: Family): Promise<readonly LookupAddress[]> {
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family }]
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const listed = (await hosts()).get(name)
    if (listed !== undefined) return listed
    if (isLocalName(name)) return LOOPBACK
    const { resolver, search, dots } = await dns()
    let failure: unknown
    for (const full of namesFor(name, hostname.endsWith('.') ? [] : search, dots))
      try {
        const addresses = await ask(resolver, full, wanted, tryMs)
        if (addresses.length > 0) return addresses
      } catch (error) {
        // A domain of the system whose servers fail keeps nobody from a name that is elsewhere.
        if (full === name) throw error
        failure ??= error
      }
    throw failure ?? new LookUpError('ENOTFOUND', hostname)
  }

  return (hostname, { family }, callback) => {
    withinTime(find(hostname, family), wholeMs)
      .then((all) => {
        if (all === LATE) throw new LookUpError('EAI_AGAIN', hostname)
        const wanted = all.filter((one) => isWanted(one, family))
        if (wanted.length === 0) throw new LookUpError('ENOTFOUND', hostname)
        return wanted
      })
      .then(
        // What is thrown by whoever is told is no failure to look up.
        (wanted) => process.nextTick(callback, null, wanted),
        (error: unknown) => process.nextTick(callback, error, []),
      )
  }
}

/** The family that is asked for; none where either will do. */
type Family = number | 'IPv4' | 'IPv6' | undefined

const isWanted = (one: LookupAddress, family: Family): boolean =>
  !family || one.family === (typeof family === 'number' ? family : Number(family.slice(3)))

/**
 * None where there is no such name. Addresses of IPv4 come first, which lead somewhere from nearly every machine. Where either
 * family will do and one has been answered, the other is waited for as long as one attempt takes: some servers of names never
 * answer what they do not know.
 */
async function ask(
  resolver: Resolver,
  name: string,
  family: Family,
  tryMs: number,
): Promise<readonly LookupAddress[]> {
  const found: [LookupAddress[], LookupAddress[]] = [[], []]
  const take = async (index: 0 | 1, addresses: Promise<string[]>) => {
    found[index] = (await addresses).map((address) => ({ address, family: index === 0 ? 4 : 6 }))
  }
  const questions = [take(0, resolver.resolve4(name)), take(1, resolver.resolve6(name))]
  const all = Promise.allSettled(questions)
  const isOneAnswered = await Promise.any(questions).then(
    () => true,
    () => false,
  )
  const answers = isOneAnswered && !family ? await withinTime(all, tryMs) : await all
  if (answers === LATE || found.flat().length > 0) return found.flat()
  for (const answer of answers)
    if (answer.status === 'rejected' && !isNothing(answer.reason))
      throw new LookUpError('EAI_AGAIN', name, answer.reason)
  return []
}

/** What a file says, which is read again when it is another one. One that is not there says nothing. */
function readAgain<T>(path: string, read: (text: string) => T, now: () => number): () => Promise<T> {
  let known: { readonly version: string; readonly value: T } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<T> | undefined

  async function check(): Promise<T> {
    const { ino, size, mtimeMs } = await stat(path).catch(() => ({ ino: 0, size: 0, mtimeMs: 0 }))
    const version = `${ino} ${size} ${mtimeMs}`
    if (known?.version !== version)
      known = { version, value: read(await readFile(path, 'utf8').catch(() => '')) }
    checkedAt = now()
    return known.value
  }

  return async () => {
    if (known !== undefined && now() - checkedAt < CHECK_MS) return known.value
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
}

/** The words of each line, without comments. */
const wordsOf = (text: string): readonly (readonly string[])[] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  )

function readHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const [address = '', ...names] of wordsOf(text)) {
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names.map((one) => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }])
  }
  return hosts
}

interface Search {
  /** Domains in which names are looked for. */
  readonly search: readonly string[]
  /** Names with as many dots are first looked for as they are. */
  readonly dots: number
}

function readSearch(text: string): Search {
  let search: readonly string[] = []
  let dots = 1
  for (const [word, ...rest] of wordsOf(text)) {
    if (word === 'search' || word === 'domain') search = rest
    if (word === 'options')
      for (const option of rest) dots = Number(/^ndots:(\d+)$/.exec(option)?.[1] ?? dots)
  }
  return { search: search.map((domain) => domain.replace(/^\.|\.$/g, '')).filter(Boolean), dots }
}

function namesFor(name: string, search: readonly string[], dots: number): readonly string[] {
  const within = search.map((domain) => `${name}.${domain}`)
  return name.split('.').length > dots ? [name, ...within] : [...within, name]
}
