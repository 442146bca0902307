/**
 * How long `aloft --help` takes, against `node -e 0` of the same Node: as installed from a package, and in a clone; and
 * from a package on an older Node, where ours has to be started from it. They take turns.
 *
 *   node bench/start/cli-start.ts
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pack } from '#test/support/program/package.ts'
import { median, medianRatio } from '../measure/median.ts'
import { isTrial, rounds, warmUps } from '../measure/trial.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const ROUNDS = rounds(40)
const WARM_UPS = warmUps(2)
const TARGET = 3.5
const root = resolve(import.meta.dirname, '../..')

function milliseconds(node: string, args: readonly string[]): number {
  const started = performance.now()
  const { status } = spawnSync(node, args, { stdio: 'ignore', env: { HOME: tmpdir() } })
  if (status !== 0) throw new Error(`${node} ${args.join(' ')} ended with ${status}`)
  return performance.now() - started
}

function compare(what: string, node: string, gate: string): Row {
  const [ours, theirs] = [[] as number[], [] as number[]]
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const [bare, help] = [milliseconds(node, ['-e', '0']), milliseconds(node, [gate, '--help'])]
    if (round < 0) continue
    theirs.push(bare)
    ours.push(help)
  }
  console.error(`${what}: ${median(ours).toFixed(0)} ms against ${median(theirs).toFixed(0)} ms`)
  return atMost('P15', `\`aloft --help\` against \`node -e 0\`, ${what}`, medianRatio(ours, theirs), TARGET)
}

/** The machine's own Node, where it is older than ours. */
const olderNode = (): string | undefined =>
  globSync('/usr/{,local/}bin/node').find((file) => {
    const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
    return Number.parseInt(stdout?.slice(1) ?? '', 10) < 24
  })

export async function run(): Promise<Row[]> {
  const inClone = () => compare('in a clone', process.execPath, join(root, 'bin/aloft.js'))
  // Packing takes long, and the tests of the package do it and start what was packed.
  if (isTrial) return [inClone()]
  const folder = mkdtempSync(join(tmpdir(), 'aloft-bench-'))
  const packed = await pack()
  try {
    execFileSync('tar', ['-xzf', packed.file, '-C', folder])
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const gate = join(folder, 'package/bin/aloft.js')
    const older = olderNode()
    return [
      compare('from the package', process.execPath, gate),
      inClone(),
      ...(older === undefined ? [] : [compare('from the package on an older Node', older, gate)]),
    ]
  } finally {
    await packed.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())
