// The real servers and tools that some suites drive, and how a Debian machine gets them.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'

const found = (pattern) => globSync(pattern).length > 0

/** name → what it serves, where it lies once installed, and the packages that bring it. */
export const TOOLS = {
  postgresql: {
    suite: 'the store on PostgreSQL',
    present: () => found('/usr/lib/postgresql/*/bin/initdb'),
    packages: ['postgresql'],
  },
  redis: {
    suite: 'rate limits and the bus on Redis',
    present: () => existsSync('/usr/bin/redis-server'),
    packages: ['redis-server'],
  },
  chromium: {
    suite: 'pages in a real browser',
    present: () => existsSync('/usr/bin/chromium'),
    packages: ['chromium', 'fonts-liberation'],
  },
  bubblewrap: {
    suite: 'the sandbox of builds and functions',
    present: () =>
      ['/usr/bin/bwrap', '/usr/sbin/nft', '/usr/bin/setpriv'].every((file) => existsSync(file)) &&
      found('/{usr/,}{s,}bin/ip'),
    packages: ['bubblewrap', 'nftables', 'iproute2', 'util-linux'],
  },
  python: {
    suite: 'functions in Python',
    present: () => existsSync('/usr/bin/python3'),
    packages: ['python3'],
  },
  pebble: {
    suite: 'certificates of an ACME authority',
    present: () => existsSync('/usr/bin/pebble'),
    packages: ['pebble'],
  },
  bind: {
    suite: 'DNS answers beside those of BIND',
    present: () => ['/usr/sbin/named', '/usr/bin/dig'].every((file) => existsSync(file)),
    packages: ['bind9', 'bind9-dnsutils'],
  },
  dnsperf: { suite: 'benchmarks', present: () => existsSync('/usr/bin/dnsperf'), packages: ['dnsperf'] },
  nginx: { suite: 'benchmarks', present: () => existsSync('/usr/sbin/nginx'), packages: ['nginx'] },
  caddy: { suite: 'benchmarks', present: () => existsSync('/usr/bin/caddy'), packages: ['caddy'] },
  h2load: {
    suite: 'benchmarks',
    present: () => existsSync('/usr/bin/h2load'),
    packages: ['nghttp2-client'],
  },
  wrk: { suite: 'benchmarks', present: () => existsSync('/usr/bin/wrk'), packages: ['wrk'] },
}

/** Installs what is missing where this user may; answers the names that are still missing. */
export function ensureTools(names) {
  const missing = () => names.filter((name) => !TOOLS[name].present())
  const wanted = missing()
  if (wanted.length === 0) return []
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const packages = wanted.flatMap((name) => TOOLS[name].packages)
    process.stderr.write(`installing ${packages.join(', ')} …\n`)
    // Servers that packages would start on their own are not wanted: the tests start their own, on free ports.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
    const apt = (...args) => spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    apt('update', '-qq')
    apt('install', '-y', '-qq', '--no-install-recommends', ...packages)
  }
  return missing()
}
