import { count } from '#contract/words/wording.ts'
import { noticeMail } from '../mail/notice-mail.ts'
import type { Mail } from '../ports/mailer.ts'

/** Tells an operator that stored files are not what they were. */
export function damageMail(to: string, found: number, baseUrl: string): Mail {
  const files = count(found, 'stored file')
  return noticeMail(to, {
    subject: `${files} found damaged`,
    says: [
      `A check of the storage of ${baseUrl} found ${files} damaged. The most common cause is a failing disk.`,
      'To repair them, deploy the same files again or restore a backup. The server log names them: search for "a stored content is damaged".',
    ],
    button: { label: 'Open health', link: `${baseUrl}/operator` },
  })
}
