import type { CronSpec } from '../cron/cron.ts'
import type { Route } from '../routing/route.ts'
import type { Output, OutputFile, OutputFunction, Program } from './output.ts'

/**
 * One output of what several builds left. Where two have the same path the later one's counts; where one is a file
 * and one a function, the function does, as the file may be its source. Programs that nothing leads to are left out.
 */
export function mergeParts(parts: readonly Output[], routes: readonly Route[] | undefined): Output {
  const functions = new Map<string, OutputFunction>()
  const files = new Map<string, OutputFile>()
  const known = new Map<string, Program>()
  const images = parts.findLast((part) => part.images)?.images
  const crons = parts.flatMap((part) => part.crons ?? [])
  for (const part of parts) {
    for (const answer of part.functions) functions.set(answer.path, answer)
    for (const file of part.files) files.set(file.path, file)
    for (const program of part.programs) known.set(program.id, program)
  }
  for (const path of functions.keys()) files.delete(path)
  const used = new Set([...functions.values()].map(({ program }) => program))
  return {
    routes,
    files: [...files.values()],
    functions: [...functions.values()],
    programs: [...known.values()].filter(({ id }) => used.has(id)),
    ...(images ? { images } : {}),
    ...(crons.length === 0 ? {} : { crons: distinctCrons(crons) }),
  }
}

/** What the configuration file says comes again in the output of a build that has read it. */
export const distinctCrons = (crons: readonly CronSpec[]): readonly CronSpec[] => [
  ...new Map(
    crons.map((spec) => [[spec.path, spec.schedule, spec.timeZone ?? 'UTC'].join('\n'), spec]),
  ).values(),
]
