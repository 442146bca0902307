/** How often it is looked at whether npm, which started us, is still there to pass signals on. */
const PARENT_CHECK = 500

/** Resolves when somebody wants everything to end; a terminal that is closed wants that too. */
export function stopSignal(): Promise<'stop'> {
  const { promise, resolve } = Promise.withResolvers<'stop'>()
  const parent = process.ppid
  // Killed outright, npm would leave a server behind that nobody holds any more.
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== parent && resolve('stop'), PARENT_CHECK).unref()
  let asked = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      // Asked a second time, a person does not want to wait any longer.
      if (asked && signal === 'SIGINT') process.exit(130)
      asked = true
      resolve('stop')
    })
  return promise
}
