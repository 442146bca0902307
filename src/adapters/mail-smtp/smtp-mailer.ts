import { createTransport } from 'nodemailer'
import { SECOND } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Mailer } from '#core/ports/mailer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { createCompose } from '../mail/compose.ts'
import { MailError } from '../mail/mail-error.ts'
import { createRedact } from './redact.ts'
import { readSmtpUrl } from './smtp-url.ts'

interface SmtpOptions {
  readonly url: string
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string
  readonly clock?: Clock
}

/** Hands mails to a mail server over a few connections that are kept open between mails. */
export function createSmtpMailer({ url, from, clock = systemClock }: SmtpOptions): Mailer {
  const compose = createCompose(from)
  const server = readSmtpUrl(url)
  const redact = createRedact(server.auth)
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: 3,
    dnsTimeout: 10 * SECOND,
    connectionTimeout: 10 * SECOND,
    greetingTimeout: 10 * SECOND,
    socketTimeout: 30 * SECOND,
  })

  return {
    async send(mail, id) {
      const message = compose(mail, id, clock.now())
      try {
        await transport.sendMail(message)
      } catch (error) {
        throw withoutPassword(error, redact)
      }
    },
    close: () => transport.close(),
  }
}

/** The original is left behind, not made the `cause`: its fields repeat what the server said. */
function withoutPassword(error: unknown, redact: (text: string) => string): MailError {
  const { code, message } = error as { code?: string; message: string }
  return new MailError(code ?? 'ESMTP', `The mail server did not take the mail: ${redact(message)}`)
}
