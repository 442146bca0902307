/** What was looked at, how it is, and what to do about it. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
  readonly hint?: string | undefined
  readonly warning?: true
}

export const good = (name: string, message: string): Check => ({ name, ok: true, message })
export const bad = (name: string, message: string, hint: string): Check => ({
  name,
  ok: false,
  message,
  hint,
})

/** How long anything is waited for. */
export const TIMEOUT = 5000

export const reasonOf = (error: unknown): string => {
  const { code, message, cause } = error as NodeJS.ErrnoException
  return cause instanceof Error && code === undefined ? reasonOf(cause) : (code ?? message)
}
