/** The key of a recurring job. At most one unfinished job has it: the next round of its kind. */
export const recurringKey = (kind: string): string => `recurring:${kind}`
