const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)((?:[/?#].*)?)$/i
/** What may be asked for, in the words of PostgreSQL's own clients: only a server that takes writes is of use. */
const ATTRIBUTES: readonly unknown[] = [null, 'any', 'read-write', 'primary']

/**
 * The servers that an address of PostgreSQL names, each by an address of its own: hosts with their ports, separated by commas,
 * where a host stands or in the parameters `host` and `port`, as PostgreSQL's own clients read them. Undefined where it names
 * none, or asks for servers that take no writes.
 */
export function postgresServers(url: string): readonly string[] | undefined {
  const [, scheme, user, hosts, rest] = PARTS.exec(url) ?? []
  if (hosts === undefined) return undefined
  const named = hosts.split(',')
  const servers = named.map((host) => `${scheme}${user}${host}${rest}`)
  const [first = ''] = servers
  if (!servers.every((server) => URL.canParse(server)) || (named.length > 1 && named.includes('')))
    return undefined
  const { searchParams } = new URL(first)
  if (!ATTRIBUTES.includes(searchParams.get('target_session_attrs'))) return undefined
  const [asHosts = [], ports = []] = ['host', 'port'].map((name) => searchParams.get(name)?.split(','))
  if (asHosts.length < 2 && ports.length < 2) return servers
  // A port for each, or one for all.
  const fits = ports.length < 2 || ports.length === asHosts.length
  if (named.length > 1 || !fits || [...asHosts, ...ports].includes('')) return undefined
  return asHosts.map((host, n) => {
    const server = new URL(first)
    server.searchParams.set('host', host)
    const port = ports[n] ?? ports[0]
    if (port !== undefined) server.searchParams.set('port', port)
    return server.href
  })
}
