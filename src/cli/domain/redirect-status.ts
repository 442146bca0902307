import { REDIRECT_STATUSES } from '#contract/api/project-domain.ts'
import { value } from '../command.ts'

const readStatus = (text: string): (typeof REDIRECT_STATUSES)[number] => {
  const status = REDIRECT_STATUSES.find((one) => String(one) === text)
  if (status === undefined) throw new TypeError(`"${text}" should be one of ${REDIRECT_STATUSES.join(', ')}`)
  return status
}

/** The option of the commands that make a domain redirect. */
export const redirectStatus = value(
  'code',
  `status code of the redirect: ${REDIRECT_STATUSES.join(', ')}`,
  readStatus,
)
