#!/usr/bin/env node
// The door of `npx aloft`: installs what is missing, then runs the command line on the runtime we pin.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setup } from '../scripts/setup.js'

const node = setup({ dev: false })
const cli = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const child = spawn(node, ['--disable-warning=ExperimentalWarning', cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 130 : (code ?? 1)
})
