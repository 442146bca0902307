/**
 * `npm run test:fuzz`: input made by chance for everything that takes some of strangers. What it finds can be had again.
 *
 *   npm run test:fuzz -- --minutes 10             all, for so long
 *   npm run test:fuzz -- --target dns --seed 7    one of them, with the chance of an earlier run
 *   npm run test:fuzz -- --target dns --seed 7 --round 1234    the one input that was found
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { TARGETS } from './targets.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    target: { type: 'string' },
    round: { type: 'string' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
say(`seed ${seed}`)
const groups = Object.entries(TARGETS).filter(
  ([name]) =>
    values.target === undefined ||
    name === values.target ||
    (name === 'http' && /^http\d$/.test(values.target)),
)
const all = (await Promise.all(groups.map(([, open]) => open()))).flat()
const targets = all.filter(
  ({ name }) => values.target === undefined || values.target === 'http' || name === values.target,
)
if (targets.length === 0)
  throw new Error(`there is no target ${values.target}; there are ${Object.keys(TARGETS).join(', ')}`)
const { counts, findings } = await fuzz(targets, {
  seed,
  until: Date.now() + Number(values.minutes) * 60_000,
  ...(values.round === undefined ? {} : { only: Number(values.round) }),
})
for (const { close } of all) await close?.()
for (const [name, count] of counts) say(`${name.padEnd(8)} ${String(count).padStart(9)} inputs`)
for (const { target, round, error } of findings) {
  say(`\nFOUND by ${target}: npm run test:fuzz -- --target ${target} --seed ${seed} --round ${round}`)
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
process.exit(findings.length > 0 ? 1 : 0)
