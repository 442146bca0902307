import { AloftError } from '#contract/errors.ts'

/** The token of a link in an email. */
export const linkToken = (token: string | undefined): string => {
  if (token) return token
  throw new AloftError(
    'bad_request',
    'The token is missing from this URL. Open the complete link from the email.',
  )
}
