import { isEnd, type TestEvent } from './report.ts'

/** What became of a process of many files. */
interface Split {
  /** What it has told, as far as it went well. */
  readonly kept: readonly TestEvent[]
  /** Files that failed, and the one in which the process ended when it ended early. */
  readonly again: readonly string[]
  /** Files behind that one. Nothing is known of them, so they are run as if for the first time. */
  readonly notBegun: readonly string[]
}

/**
 * Of a process that has failed. Every file of it is a suite at the outermost level, and they are run one after the other.
 */
export function splitByFile(events: readonly TestEvent[], files: readonly string[]): Split {
  const kept: TestEvent[] = []
  const [passed, failed] = [new Set<string>(), new Set<string>()]
  let ofSuite: TestEvent[] = []
  for (const event of events) {
    ofSuite.push(event)
    if (!isEnd(event) || event.data.nesting !== 0) continue
    const { name = '' } = event.data
    if (files.includes(name)) {
      if (event.type === 'test:pass') kept.push(...ofSuite)
      const ended = event.type === 'test:pass' ? passed : failed
      ended.add(name)
    }
    ofSuite = []
  }
  const [endedIn, ...notBegun] = files.filter((file) => !passed.has(file) && !failed.has(file))
  // Something went wrong between the tests. Whose it was shows when each file is alone.
  if (failed.size === 0 && endedIn === undefined) return { kept: [], again: files, notBegun: [] }
  // What it counted itself includes what is run again.
  kept.push({ type: 'test:summary', data: { counts: countsOf(kept) } })
  return { kept, again: [...failed, ...(endedIn === undefined ? [] : [endedIn])], notBegun }
}

function countsOf(events: readonly TestEvent[]): Readonly<Record<string, number>> {
  const counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
  for (const event of events.filter(isEnd)) {
    const { details, skip, todo } = event.data
    if (details?.type === 'suite') counts.suites++
    else {
      counts.tests++
      if (skip !== undefined) counts.skipped++
      else if (todo !== undefined) counts.todo++
      else counts.passed++
    }
  }
  return counts
}
