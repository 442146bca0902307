import { isEnd, type TestEvent } from './report.ts'

/** What a process of many files has told, as far as it went well, and the files that are to be run again. */
export interface Split {
  readonly kept: readonly TestEvent[]
  readonly again: readonly string[]
}

/** Every file of a process is a suite at the outermost level, and they are run one after the other. */
export function splitByFile(events: readonly TestEvent[], files: readonly string[]): Split {
  const kept: TestEvent[] = []
  const passed = new Set<string>()
  let ofSuite: TestEvent[] = []
  for (const event of events) {
    ofSuite.push(event)
    if (!isEnd(event) || event.data.nesting !== 0) continue
    const { name = '' } = event.data
    if (files.includes(name) && event.type === 'test:pass') {
      passed.add(name)
      kept.push(...ofSuite)
    }
    ofSuite = []
  }
  // What it counted itself includes what is run again.
  kept.push({ type: 'test:summary', data: { counts: countsOf(kept) } })
  return { kept, again: files.filter((file) => !passed.has(file)) }
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
