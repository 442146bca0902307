import { headerLines } from './answer.ts'

/** The id of an answer by the name under which programs written for other platforms look for it. */
export const OTHER_ID = 'x-vercel-id'

/** What every answer of a site carries, in the form of node:http and HTTP/2. The id comes last: see `Wire`. */
export const stampHeaders = (date: string, id: string): readonly string[] => [
  'date',
  date,
  OTHER_ID,
  id,
  'x-platform-id',
  id,
]

/** The same as lines of a head of HTTP/1.1. */
export const stampLines = (date: string, id: string): string => headerLines(stampHeaders(date, id))
