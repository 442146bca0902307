import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, isIPv4, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, describe, it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { createDestinations, type Destinations } from '#core/outbound/destinations.ts'
import type { Sandbox, SandboxRun } from '#core/ports/sandbox.ts'
import {
  finish,
  finished,
  leftBy,
  NETWORKS,
  node,
  runOf,
  sandboxMissing,
  wrote,
} from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'

type Target = readonly [host: string, port: number]

/** Tries all targets at once and prints what came of each: a code, `connected`, or `silence` when nothing came back. */
const TRY = `
const tries = JSON.parse(process.argv[1]).map(([host, port]) => new Promise((resolve) => {
  const socket = require('node:net').connect({ host, port })
  const is = (what) => { socket.destroy(); resolve([host, what]) }
  socket.setTimeout(5000, () => is('silence'))
  socket.on('connect', () => is('connected')).on('error', (error) => is(error.code))
}))
Promise.all(tries).then((all) => console.log(JSON.stringify(Object.fromEntries(all))))`

const reach = async (sandbox: Sandbox, network: SandboxRun['network'], targets: readonly Target[]) => {
  const { stdout, stderr } = await finish(sandbox, ['/opt/node', '-e', TRY, JSON.stringify(targets)], {
    network,
    binds: [node],
  })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as Readonly<Record<string, string>>
}

const ownAddresses = () => [
  '127.0.0.1',
  '127.0.0.53',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
]

/** Those of this process that hold a network open and do nothing else. */
const gatewayProcesses = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return new RegExp(`^\\d+ \\(cat\\) \\S ${process.pid} `).test(
          readFileSync(`/proc/${pid}/stat`, 'utf8'),
        )
      } catch {
        return false
      }
    })
    .map(Number)

/** The package registry that this machine is set up for, where it answers. */
async function findRegistry(): Promise<URL | undefined> {
  try {
    const url = new URL(
      execFileSync('npm', ['config', 'get', 'registry'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    )
    const socket = connect({ host: url.hostname, port: Number(url.port || 443), timeout: 5000 })
    const answers = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true))
      for (const event of ['error', 'timeout']) socket.on(event, () => resolve(false))
    })
    socket.destroy()
    return answers ? url : undefined
  } catch {
    return undefined
  }
}

const suite = (
  network: Sandbox['report']['network'],
  open: (destinations?: Destinations) => Promise<Sandbox>,
) => {
  let opened: Promise<Sandbox> | undefined
  const sandbox = () => {
    opened ??= open()
    return opened
  }
  after(async () => {
    await (await opened)?.close()
    assert.deepEqual(leftBy(process.pid), [])
  })

  it('is the one that is expected here', async () => {
    assert.equal((await sandbox()).report.network, network)
  })

  for (const network of ['none', 'outbound'] as const)
    it(`reaches no listener of this machine with ${network}`, async (t) => {
      const seen: unknown[] = []
      const listener = createServer((socket) => seen.push(socket.remoteAddress))
      t.after(() => listener.close())
      await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
      const { port } = listener.address() as { port: number }
      const targets = [...ownAddresses(), '169.254.1.1'].map((host) => [host, port] as const)
      const outcomes = await reach(await sandbox(), network, targets)
      for (const [host, outcome] of Object.entries(outcomes)) {
        assert.notEqual(outcome, 'connected', host)
        assert.notEqual(outcome, 'silence', host)
      }
      assert.deepEqual(seen, [])
      // The listener is no dead end.
      const reached = connect({ port, host: '127.0.0.1' })
      await new Promise((resolve, reject) => reached.once('connect', resolve).once('error', reject))
      reached.destroy()
    })

  it('reaches no private network and no metadata service, and is told so at once', async () => {
    const hosts = ['10.0.0.1', '100.64.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1', '198.18.0.1']
    const outcomes = await reach(
      await sandbox(),
      'outbound',
      hosts.map((host) => [host, 80]),
    )
    for (const host of hosts) assert.match(outcomes[host] ?? '', /^E(CONNREFUSED|HOSTUNREACH|ACCES)$/, host)
  })

  it('reaches the resolvers for names alone', async () => {
    const { stdout } = await finish(await sandbox(), ['cat', '/etc/resolv.conf'], { network: 'outbound' })
    const resolvers = [...stdout.matchAll(/^nameserver (\S+)$/gm)].map((found) => found[1] ?? '')
    assert.ok(resolvers.length > 0)
    const outcomes = await reach(
      await sandbox(),
      'outbound',
      resolvers.filter((address) => /^(10|192\.168)\./.test(address)).map((host) => [host, 80]),
    )
    for (const outcome of Object.values(outcomes)) assert.notEqual(outcome, 'connected')
  })

  it('reaches no other sandbox', async () => {
    const serve = `require('node:net').createServer((s) => s.end()).listen(8081, '0.0.0.0', () => {
      const own = require('node:os').networkInterfaces().eth0[0].address
      console.log('at ' + own + ' ready')
    })`
    const server = (await sandbox()).spawn(
      runOf(['/opt/node', '-e', serve], { network: 'outbound', binds: [node] }),
    )
    let said = ''
    server.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    await wrote(server, 'ready')
    const address = /at (\S+) ready/.exec(said)?.[1] ?? ''
    assert.match(address, /^198\.1[89]\./)
    const ways = [address, '127.0.0.1', '::1', '198.18.0.0']
    const outcomes = await reach(
      await sandbox(),
      'outbound',
      ways.map((host) => [host, 8081]),
    )
    for (const host of ways) assert.match(outcomes[host] ?? '', /^E/, host)
    server.kill()
    await server.exit
  })

  it('is used again by later runs, and is not shared by those at the same time', async () => {
    const own = await open()
    const address = async () => {
      const { stdout } = await finish(
        own,
        ['/opt/node', '-p', 'require("node:os").networkInterfaces().eth0[0].address'],
        { network: 'outbound', binds: [node] },
      )
      return stdout
    }
    const first = await address()
    assert.equal(await address(), first)
    const three = await Promise.all([address(), address(), address()])
    assert.equal(new Set(three).size, 3)
    await own.close()
  })

  it('is made for seventeen at the same time', async () => {
    const own = await open()
    const runs = Array.from({ length: 17 }, () =>
      own.spawn(runOf(['/bin/sh', '-c', 'echo ready; sleep 60'], { network: 'outbound' })),
    )
    const begun = await Promise.allSettled(
      runs.map((run) => Promise.race([wrote(run, 'ready'), run.exit.then(() => assert.fail('it ended'))])),
    )
    for (const run of runs) run.kill()
    await Promise.allSettled(runs.map(({ exit }) => exit))
    await own.close()
    assert.deepEqual(
      begun.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : [])),
      [],
    )
  })

  it('resolves names and reaches the package registry', async (t) => {
    const registry = await findRegistry()
    if (registry === undefined) return t.skip('the package registry cannot be reached from here')
    const script = `require('node:https').get(process.argv[1], async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      console.log(answer.statusCode, JSON.parse(text).name)
    })`
    // The machine may have a certificate authority of its own.
    const bundle = '/etc/ssl/certs/ca-certificates.crt'
    const { stdout, stderr, code } = await finish(
      await sandbox(),
      ['/opt/node', '-e', script, new URL('is-number', registry).href],
      {
        network: 'outbound',
        binds: [node],
        env: existsSync(bundle) ? { NODE_EXTRA_CA_CERTS: bundle } : {},
      },
    )
    assert.deepEqual({ stdout, stderr, code }, { stdout: '200 is-number\n', stderr: '', code: 0 })
  })

  it('leads names of the platform, and no other, to where the platform says', async (t) => {
    const listener = createServer((socket) => socket.end('from the platform'))
    t.after(() => listener.close())
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    const usual = createDestinations()
    const own = await open({
      ...usual,
      addressesOf: (name) => (name === 'site.example.test' ? ['198.19.255.2'] : undefined),
      connectTo: (address, to) =>
        address === '198.19.255.2' && to === 443 ? { host: '127.0.0.1', port } : usual.connectTo(address, to),
    })
    t.after(() => own.close())
    const script = `const net = require('node:net')
      net.connect(443, 'site.example.test').on('data', (chunk) => {
        process.stdout.write(chunk)
        net.connect(80, 'site.example.test').on('error', (error) => console.log(' but', error.code))
          .on('data', () => console.log('something'))
      })`
    const { stdout } = await finish(own, ['/opt/node', '-e', script], { network: 'outbound', binds: [node] })
    assert.equal(stdout, 'from the platform but ECONNRESET\n')
  })

  it('reaches nothing private by a name either, nor by a name that changes its mind', async (t) => {
    const seen: unknown[] = []
    const listener = createServer((socket) => seen.push(socket.remoteAddress))
    t.after(() => listener.close())
    await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
    const { port } = listener.address() as { port: number }
    const own = ownAddresses().filter((address) => isIPv4(address) && !address.startsWith('127.'))
    const named: Readonly<Record<string, readonly string[]>> = {
      'metadata.example.test': ['169.254.169.254'],
      'neighbour.example.test': ['10.0.0.1', '192.168.0.1'],
      'machine.example.test': own,
      'gateway.example.test': ['198.19.255.1'],
    }
    let asked = 0
    const hostile = await open({
      ...createDestinations(),
      // Public when it is looked up first, and of this machine from then on.
      addressesOf: (name) =>
        named[name] ?? (name === 'fickle.example.test' ? (asked++ ? own : ['192.0.2.77']) : undefined),
    })
    t.after(() => hostile.close())
    const script = `const net = require('node:net')
      const tried = (host) => new Promise((resolve) => {
        let got = ''
        net.connect(Number(process.argv[1]), host).on('data', (chunk) => { got += chunk })
          .on('error', (error) => resolve(error.code)).on('close', () => resolve('closed ' + got))
      })
      require('node:dns').lookup('fickle.example.test', async () => {
        for (const host of process.argv.slice(2)) console.log(host, await tried(host))
      })`
    const hosts = [...Object.keys(named), 'fickle.example.test']
    const { stdout } = await finish(hostile, ['/opt/node', '-e', script, String(port), ...hosts], {
      network: 'outbound',
      binds: [node],
      env: { TARGET_PORT: String(port) },
    })
    const lines = stdout.trim().split('\n')
    assert.equal(lines.length, hosts.length, stdout)
    for (const line of lines) assert.match(line, / E[A-Z]+$/)
    assert.deepEqual(seen, [])
  })

  it('reaches nothing private in a form of IPv6', async () => {
    const hosts = [
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      'fd00::1',
      '2002:a00:1::1',
      'fe80::1',
    ]
    const outcomes = await reach(
      await sandbox(),
      'outbound',
      hosts.map((host) => [host, 22]),
    )
    for (const host of hosts) assert.match(outcomes[host] ?? '', /^E/, host)
  })

  it('cannot be changed from inside, and has no socket of the platform in it', async () => {
    const script = `for c in 'link set lo down' 'route add 10.0.0.0/8 dev eth0' 'route del default' 'addr add 10.0.0.9/8 dev eth0' \
        'link add x type dummy' 'link set eth0 down' 'neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0' 'netns add x'; do
        ip $c 2>/dev/null && echo "ip $c"; done
      nsenter --net=/proc/1/ns/net true 2>/dev/null && echo nsenter; unshare -n true 2>/dev/null && echo unshare
      tail -qn +2 /proc/net/tcp /proc/net/udp /proc/net/raw | wc -l`
    const { stdout } = await finish(await sandbox(), ['sh', '-c', script], {
      network: 'outbound',
      env: { PATH: '/usr/bin:/usr/sbin:/bin:/sbin' },
    })
    assert.equal(stdout.trim(), '0')
  })

  it("takes no packets of a program's own making", async (t) => {
    const script = `import socket as s
for family, kind, protocol in ((s.AF_INET, s.SOCK_RAW, s.IPPROTO_ICMP), (s.AF_INET, s.SOCK_RAW, s.IPPROTO_RAW),
    (s.AF_INET6, s.SOCK_RAW, s.IPPROTO_ICMPV6), (s.AF_PACKET, s.SOCK_RAW, 0x300)):
    try: s.socket(family, kind, protocol); print('made', family, protocol)
    except OSError as error: print('refused')
a = s.socket(s.AF_INET, s.SOCK_DGRAM)
for option in (19, 15):
    try: a.setsockopt(s.IPPROTO_IP, option, 1); print('set', option) if option == 19 else print('refused')
    except OSError: print('refused')`
    const { stdout, code } = await finish(await sandbox(), ['/usr/bin/python3', '-c', script], {
      network: 'outbound',
    }).catch(() => ({ stdout: '', code: 127 }))
    if (code !== 0) return t.skip('there is no Python')
    assert.equal(stdout, 'refused\n'.repeat(6))
  })

  it('carries much, both ways and half open', async (t) => {
    // Ends only when the other side has ended, and tells then how much came.
    const listener = createServer({ allowHalfOpen: true }, (socket) => {
      let size = 0
      socket.on('data', (chunk) => {
        size += chunk.length
      })
      socket.on('end', () => socket.end(`${size}`.padEnd(3_000_000, '.')))
    })
    t.after(() => listener.close())
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    const own = await open({
      ...createDestinations(),
      connectTo: (address) => (address === '198.19.255.2' ? { host: '127.0.0.1', port } : undefined),
    })
    t.after(() => own.close())
    const script = `const socket = require('node:net').connect({ host: '198.19.255.2', port: 443, allowHalfOpen: true })
      let got = ''
      socket.on('data', (chunk) => { got += chunk }).on('end', () => console.log(got.length, parseInt(got)))
      socket.end(Buffer.alloc(5_000_000, 1))`
    const { stdout } = await finish(own, ['/opt/node', '-e', script], { network: 'outbound', binds: [node] })
    assert.equal(stdout, '3000000 5000000\n')
  })

  it('is made anew when its process was killed, and stays what it was for who is in it', async (t) => {
    const waiting: Socket[] = []
    const { promise: heldOn, resolve } = Promise.withResolvers<void>()
    const listener = createServer((socket) => {
      socket.once('data', (chunk) => {
        if (String(chunk) === 'hold') {
          waiting.push(socket)
          resolve()
        } else socket.end('reached')
      })
    })
    t.after(() => listener.close())
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    const others = gatewayProcesses()
    const own = await open({
      ...createDestinations(),
      connectTo: (address) => (address === '198.19.255.2' ? { host: '127.0.0.1', port } : undefined),
    })
    t.after(() => own.close())
    const again = `require('node:net').connect(443, '198.19.255.2', function () { this.write('again') })
      .on('data', (chunk) => console.log(String(chunk)))`
    const long = own.spawn(
      runOf(
        [
          ...['/opt/node', '-e'],
          `require('node:net').connect(443, '198.19.255.2', function () { this.write('hold') })
            .once('data', () => { ${again} })`,
        ],
        { network: 'outbound', binds: [node] },
      ),
    )
    const outcome = finished(long)
    await heldOn
    const [gateway, ...more] = gatewayProcesses().filter((pid) => !others.includes(pid))
    assert.ok(gateway !== undefined && more.length === 0)
    process.kill(gateway, 'SIGKILL')
    const run = { network: 'outbound', binds: [node] } as const
    const several = [1, 2, 3].map(() => finish(own, ['/opt/node', '-e', again], run))
    for (const { stdout, stderr } of await Promise.all(several))
      assert.deepEqual({ stdout, stderr }, { stdout: 'reached\n', stderr: '' })
    for (const socket of waiting) socket.end('go on')
    assert.equal((await outcome).stdout, 'reached\n')
  })

  it('reaches what the operator allows of private networks, this machine only where it is named', async (t) => {
    const [address] = Object.values(networkInterfaces())
      .flat()
      .flatMap((each) => (each && !each.internal && each.family === 'IPv4' ? [each.address] : []))
    if (address === undefined) return t.skip('this machine has no address of its own')
    const listener = createServer((socket) => socket.end('reached'))
    t.after(() => listener.close())
    await new Promise<void>((resolve) => listener.listen(0, address, resolve))
    const { port } = listener.address() as { port: number }
    const script = `require('node:net').connect(process.env.TARGET_PORT, process.argv[1])
      .on('data', (chunk) => console.log(String(chunk))).on('error', (error) => console.log(error.code))`
    const tried = async (privateTargets: readonly string[]) => {
      const own = await open(createDestinations({ privateTargets }))
      try {
        const run = { network: 'outbound', binds: [node], env: { TARGET_PORT: String(port) } } as const
        return (await finish(own, ['/opt/node', '-e', script, address], run)).stdout
      } finally {
        await own.close()
      }
    }
    assert.equal(await tried([address]), 'reached\n')
    assert.match(await tried([`${address}/24`]), /^E/)
  })
}

for (const { name, network, without } of NETWORKS)
  describe(`the ${name} of a sandbox`, { skip: sandboxMissing }, () =>
    suite(network, (destinations) =>
      openSandbox({ mode: 'required', log: silentLog, without, ...(destinations && { destinations }) }),
    ),
  )
