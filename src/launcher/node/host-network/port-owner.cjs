'use strict'
// Whose sockets listen on a port of this machine, where programs share its network.
const { execFile } = require('child_process')
const fs = require('fs')

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const LISTENING = '0A'
/** Older kernels list a connection that is being opened with the socket that it is for. */
const OPENING = '03'
const CHUNK = 64 * 1024
const MAX_OUTPUT = 8 * 1024 * 1024

const read = (file) =>
  new Promise((resolve) => fs.readFile(file, 'latin1', (error, text) => resolve(error ? '' : text)))
const list = (folder) =>
  new Promise((resolve) => fs.readdir(folder, (error, names) => resolve(error ? [] : names)))
const link = (file) =>
  new Promise((resolve) => fs.readlink(file, (error, target) => resolve(error ? '' : target)))
const run = (file, args) =>
  new Promise((resolve) =>
    execFile(file, args, { maxBuffer: MAX_OUTPUT }, (_error, stdout) => resolve(String(stdout || ''))),
  )

/** The words of each line. */
const table = (lines) => lines.map((line) => line.trim().split(/\s+/)).filter((words) => words[0] !== '')

/** As the kernel writes addresses: those that a connection to the host may end at, its own and wildcards. */
const ADDRESSES = {
  '127.0.0.1': [
    '0100007F',
    '00000000',
    '00000000000000000000000000000000',
    '0000000000000000FFFF00000100007F',
    '0000000000000000FFFF000000000000',
  ],
  '::1': ['00000000000000000000000001000000', '00000000000000000000000000000000'],
}

/** All processes that this one has started, and those that these did: their numbers. */
function familyOf(processes) {
  const own = process.pid
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]))
  // One whose parent has ended belongs to nobody any more, but is still in the group.
  const leads = processes.some(({ pid, group }) => pid === own && group === own)
  const isOurs = ({ pid, group }) => {
    if (leads && group === own) return true
    for (let at = pid; at > 1; at = parents.get(at)) if (at === own) return true
    return false
  }
  return new Set(processes.filter(isOurs).map(({ pid }) => pid))
}

/**
 * The rows of a table of the kernel for sockets that listen. Those come first, and whatever is behind them may be tens of
 * thousands of connections, so it is not read. What imitates the kernel, as gVisor does, has an order of its own.
 */
const listening = (file, comeFirst) =>
  new Promise((resolve) => {
    const rows = []
    const buffer = Buffer.allocUnsafe(CHUNK)
    fs.open(file, 'r', (absent, fd) => {
      if (absent) {
        resolve(rows)
        return
      }
      const done = () => fs.close(fd, () => resolve(rows))
      const readOn = (begun) =>
        fs.read(fd, buffer, 0, CHUNK, null, (error, bytes) => {
          if (error || bytes === 0) {
            done()
            return
          }
          const lines = (begun + buffer.latin1Slice(0, bytes)).split('\n')
          const unfinished = lines.pop()
          for (const words of table(lines)) {
            if (words[3] === LISTENING) rows.push(words)
            else if (comeFirst && words[0] !== 'sl' && words[3] !== OPENING) {
              done()
              return
            }
          }
          readOn(unfinished)
        })
      readOn('')
    })
  })

const linux = {
  /** The sockets that take connections to this host and port. */
  async listeners(host, port, files = TABLES, comeFirst = fs.existsSync('/proc/softirqs')) {
    const wanted = port.toString(16).toUpperCase().padStart(4, '0')
    const found = []
    for (const rows of await Promise.all(files.map((file) => listening(file, comeFirst))))
      for (const words of rows) {
        const [address, on] = words[1].split(':')
        if (on === wanted && ADDRESSES[host].indexOf(address) !== -1) found.push(words[9])
      }
    return found
  },
  async ownedBy(sockets) {
    const names = (await list('/proc')).filter((name) => /^\d+$/.test(name))
    const processes = await Promise.all(
      names.map(async (name) => {
        // The name of the program, in brackets, may contain anything.
        const stat = (await read(`/proc/${name}/stat`)).split(') ').pop().split(' ')
        return { pid: Number(name), parent: Number(stat[1]), group: Number(stat[2]) }
      }),
    )
    const left = new Set(sockets.map((inode) => `socket:[${inode}]`))
    for (const pid of familyOf(processes))
      for (const fd of await list(`/proc/${pid}/fd`)) left.delete(await link(`/proc/${pid}/fd/${fd}`))
    return left.size === 0
  },
}

/** Where there is no /proc, such as on macOS, `lsof` and `ps` tell. */
const bsd = {
  async listeners(host, port) {
    const version = host === '::1' ? 6 : 4
    const text = await run('lsof', ['-nP', '-a', `-iTCP:${port}`, '-sTCP:LISTEN', '-FpPtn'])
    const found = []
    let pid
    let type
    for (const line of text.split('\n')) {
      if (line[0] === 'p') pid = line.slice(1)
      if (line[0] === 't') type = line.slice(1)
      if (line[0] !== 'n') continue
      const address = line.slice(1, line.lastIndexOf(':')).replace(/^\[|\]$/g, '')
      // A wildcard of the newer family takes connections of both.
      if (address === host || (address === '*' && (type === 'IPv6' || version === 4))) found.push(pid)
    }
    return found
  },
  async ownedBy(pids) {
    const lines = table((await run('ps', ['-axo', 'pid=,ppid=,pgid='])).split('\n'))
    const ours = familyOf(
      lines.map(([pid, parent, group]) => ({
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
      })),
    )
    return pids.every((pid) => ours.has(Number(pid)))
  },
}

/**
 * Tells whether the port of the host is listened on, and by nobody but this process and what it has started. The
 * answer names the sockets, so that one can ask again whether they are still the same.
 */
function createOwnership(port, system) {
  const { listeners, ownedBy } = system || (fs.existsSync('/proc/net/tcp') ? linux : bsd)
  let known = ''
  return async (host) => {
    const sockets = await listeners(host, port)
    if (sockets.length === 0) return undefined
    const name = sockets.sort().join()
    // A socket's number is never given to another; a process's may be.
    if (listeners === linux.listeners && name === known) return name
    if (!(await ownedBy(sockets))) return undefined
    known = name
    return name
  }
}

module.exports = { bsd, createOwnership, linux }
