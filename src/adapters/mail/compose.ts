import addressparser, { type MailboxAddress } from 'nodemailer/lib/addressparser'
import type { MailComposerOptions } from 'nodemailer/lib/mail-composer'
import type { Mail } from '#core/ports/mailer.ts'
import { MailError } from './mail-error.ts'

/** Turns a mail into what nodemailer builds an RFC 5322 message of, the same for every way out. */
type Compose = (mail: Mail, id: string, now: number) => MailComposerOptions

/** Fails on a `from` that no mail could be sent with: at start, not with the first mail. */
export function createCompose(from: string): Compose {
  const sender = readMailbox(from)
  if (sender === undefined)
    throw new MailError('EADDRESS', `Mails cannot be sent from ${JSON.stringify(from)}`)
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)

  return (mail, id, now) => {
    checkId(id)
    const to = bareAddress(mail.to)
    return {
      from: sender,
      to: { name: '', address: to },
      envelope: { from: sender.address, to: [to] },
      subject: oneLine(mail.subject),
      text: mail.text,
      html: mail.html,
      messageId: `<${id}@${domain}>`,
      date: new Date(now),
      // No auto-replies, no bounces of bounces to a sender that nobody reads.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    }
  }
}

/** The id becomes a part of a header and of a file name. */
function checkId(id: string): void {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id))
    throw new MailError('EID', `${JSON.stringify(id)} cannot be a mail's id`)
}

/** One address without a name: anything else in `to` would be a second recipient or a header of its own. */
function bareAddress(to: string): string {
  const mailbox = readMailbox(to)
  if (mailbox?.address !== to || /\s/.test(to))
    throw new MailError('EADDRESS', `A mail cannot be sent to ${JSON.stringify(to)}`)
  return to
}

function readMailbox(text: string): MailboxAddress | undefined {
  const [mailbox, ...others] = addressparser(text)
  if (mailbox?.address === undefined || others.length > 0 || /\p{Cc}/u.test(text)) return undefined
  return /^.+@[^@]+$/.test(mailbox.address) ? mailbox : undefined
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
