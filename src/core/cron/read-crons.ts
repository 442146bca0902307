import { type CronSpec, LONGEST_PATH, MOST_CRONS } from './cron.ts'
import { whyNotSchedule } from './cron-expression.ts'

/** Why a path cannot be requested on a schedule, in words that complete "it"; undefined where it can. */
export function whyNotPath(path: string): string | undefined {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path))
    return 'should start with a single `/` and contain only characters that are valid in a URL'
  return path.length > LONGEST_PATH ? `should be at most ${LONGEST_PATH} characters long` : undefined
}

/** `crons` of a configuration file or a build output. `fail` is called with what is wrong, and throws. */
export function readCrons(
  value: unknown,
  where: string,
  fail: (message: string) => never,
): readonly CronSpec[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) fail(`${where}: \`crons\` should be a list.`)
  const list = value as readonly unknown[]
  if (list.length > MOST_CRONS) fail(`${where}: \`crons\` should have at most ${MOST_CRONS} entries.`)
  return list.map((item, i) => {
    const { path, schedule, timeZone } = (item ?? {}) as Record<string, unknown>
    const at = `${where}: \`crons[${i}]`
    if (typeof path !== 'string') return fail(`${at}.path\` should be text.`)
    if (typeof schedule !== 'string') return fail(`${at}.schedule\` should be text.`)
    if (timeZone !== undefined && typeof timeZone !== 'string')
      return fail(`${at}.timeZone\` should be text.`)
    const wrongPath = whyNotPath(path)
    if (wrongPath !== undefined) return fail(`${at}.path\` ${wrongPath}.`)
    const wrong = whyNotSchedule(schedule, timeZone ?? 'UTC')
    if (wrong !== undefined) return fail(`${at}.schedule\` ${wrong}.`)
    return { path, schedule, ...(timeZone === undefined ? {} : { timeZone }) }
  })
}
