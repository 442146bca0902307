// The real servers and tools that some suites drive, and how a Debian machine gets them.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const found = (pattern) => globSync(pattern).length > 0

/** Where the modules of moto are unpacked: a Python of Debian's stable release finds them by PYTHONPATH. */
export const MOTO = '/var/lib/aloft-tools/moto/usr/lib/python3/dist-packages'

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
    // Tests do without it where there is none, at twice the cost.
    optional: ['chromium-headless-shell'],
  },
  bubblewrap: {
    suite: 'the sandbox of builds and functions',
    present: () =>
      ['/usr/bin/bwrap', '/usr/sbin/nft', '/usr/bin/setpriv'].every((file) => existsSync(file)) &&
      found('/{usr/,}{s,}bin/ip'),
    packages: ['bubblewrap', 'nftables', 'iproute2', 'util-linux'],
  },
  git: {
    suite: 'pushes with the real git',
    present: () => existsSync('/usr/bin/git') && existsSync('/usr/lib/git-core/git-http-backend'),
    packages: ['git'],
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
  moto: {
    suite: 'contents in an object store',
    present: () => existsSync(`${MOTO}/moto`) && existsSync('/usr/lib/python3/dist-packages/flask_cors'),
    packages: ['flask', 'flask-cors', 'boto3', 'responses', 'werkzeug', 'xmltodict', 'cryptography'].map(
      (name) => `python3-${name}`,
    ),
    fromSid: {
      package: 'python3-moto',
      // The one that was tried. It is in the pool until a newer one takes its place.
      file: 'pool/main/p/python-moto/python3-moto_5.2.4-2_all.deb',
      sha256: '6acc0aba260822c405b74ee3c8e8d27194e8e8535d3b4445bfc376855030c39c',
      to: '/var/lib/aloft-tools/moto',
    },
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
    const install = (...more) => apt('install', '-y', '-qq', '--no-install-recommends', ...packages, ...more)
    apt('update', '-qq')
    const optional = wanted.flatMap((name) => TOOLS[name].optional ?? []).filter(isKnown)
    if (install(...optional).status !== 0 && optional.length > 0) install()
    for (const name of missing()) if (TOOLS[name].fromSid) unpackFromSid(TOOLS[name].fromSid, apt)
  }
  return missing()
}

/** True for packages that the lists of this machine have. */
const isKnown = (name) => spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0

/** What only the newest Debian has is unpacked aside, so that nothing else is upgraded. */
function unpackFromSid({ package: name, file, sha256, to }, apt) {
  const mirror = debianMirror()
  if (mirror === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'aloft-sid-'))
  try {
    const url = `${mirror.replace(/\/$/, '')}/${file}`
    const args = ['download-file', url, join(folder, basename(file)), `SHA256:${sha256}`]
    const { status } = spawnSync('/usr/lib/apt/apt-helper', args, { stdio: 'ignore' })
    if (status !== 0) downloadNewest(name, { mirror, folder, apt })
    const [found] = globSync(join(folder, '*.deb'))
    if (found === undefined) return
    mkdirSync(to, { recursive: true })
    spawnSync('dpkg-deb', ['-x', found, to])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The version that there is now, by lists of its own: they are large. */
function downloadNewest(name, { mirror, folder, apt }) {
  mkdirSync(join(folder, 'lists/partial'), { recursive: true })
  const source = join(folder, 'sid.list')
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  writeFileSync(source, `deb [signed-by=${keys}] ${mirror} sid main\n`)
  const settings = [
    `Dir::Etc::sourcelist=${source}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${join(folder, 'lists')}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
  ].flatMap((setting) => ['-o', setting])
  apt(...settings, 'update', '-qq')
  spawnSync('apt-get', [...settings, '-qq', 'download', name], { cwd: folder, stdio: 'ignore' })
}

/** Where this machine has its own packages of Debian from. */
function debianMirror() {
  const args = ['indextargets', '--format', '$(SITE)', 'Created-By: Packages']
  const { stdout } = spawnSync('apt-get', args, { encoding: 'utf8' })
  return stdout?.split('\n').find((site) => /\/debian\/?$/.test(site))
}
