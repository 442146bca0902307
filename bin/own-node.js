// For machines whose Node.js is older than ours: runs a program on the one that came with the dependencies.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { constants } = require('node:os')
const { dirname, join } = require('node:path')

const { platform, arch } = process
const FILE = platform === 'win32' ? 'bin/node.exe' : 'bin/node'
const PACKAGES = [`node-${platform === 'win32' ? 'win' : platform}-${arch}`, `node-bin-${platform}-${arch}`]

/** Looked for where Node.js looks for packages; those that hold it name no file to resolve. */
function ownNode() {
  for (let folder = dirname(__dirname); ; folder = dirname(folder)) {
    for (const name of PACKAGES) {
      const file = join(folder, 'node_modules', name, FILE)
      if (existsSync(file)) return file
    }
    if (folder === dirname(folder)) return undefined
  }
}

/** Runs it in the place of this process, as far as anybody can tell: same streams, same signals, same end. */
exports.runOnOwnNode = function runOnOwnNode(file, major) {
  const node = ownNode()
  if (node === undefined) {
    process.stderr.write(
      `aloft: it runs on Node.js ${major} or newer. This is ${process.version}, and none for ${platform}-${arch} came with the dependencies: install Node.js ${major}, or install aloft without --omit=optional.\n`,
    )
    process.exitCode = 1
    return
  }
  // Sockets that a service manager has passed on come after the three streams.
  const sockets = Array.from({ length: Number(process.env.LISTEN_FDS ?? 0) }, (_, n) => 3 + n)
  const stdio = ['inherit', 'inherit', 'inherit', ...sockets]
  const child = spawn(node, [file, ...process.argv.slice(2)], { stdio })
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR2'])
    process.on(signal, () => {
      // A terminal sends ctrl-c to both, and asked twice a server does not wait for its visitors.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  child.on('error', ({ message }) => {
    process.stderr.write(`aloft: ${node} could not be started: ${message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1)
  })
}
