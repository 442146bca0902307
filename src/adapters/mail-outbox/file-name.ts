import { iso } from '#contract/time.ts'

/** `20250131T235959999Z-<id>.eml`: sorted by name is sorted by time. */
export const fileName = (now: number, id: string): string => `${iso(now).replace(/[-:.]/g, '')}-${id}.eml`

export const idOf = (name: string): string | undefined => /^\d{8}T\d{9}Z-(.+)\.eml$/.exec(name)?.[1]
