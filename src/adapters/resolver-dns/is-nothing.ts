const NOTHING: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

/** That there is no such name or no such record is an answer; so is that nothing can have such a name. */
export const isNothing = (error: unknown): boolean => NOTHING.includes((error as NodeJS.ErrnoException).code)
