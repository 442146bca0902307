import { readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import MailComposer from 'nodemailer/lib/mail-composer'
import { terminalText } from '#contract/build/terminal-text.ts'
import { DAY } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Mail, Mailer } from '#core/ports/mailer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { makePrivateFolder, syncFolder, temporaryName, writePrivateFile } from '../fs/private-file.ts'
import { createCompose } from '../mail/compose.ts'
import { fileName, idOf } from './file-name.ts'

interface OutboxOptions {
  readonly folder: string
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string
  readonly clock?: Clock
  /** Tells whoever runs the server what would have been sent, since nobody else will. */
  readonly tell?: (text: string) => void
}

/** Nobody empties the folder of an installation that mails every login. Links in mails are of use for a week at most. */
const KEPT = 30 * DAY

const summaryOf = ({ to, subject, link }: Mail, folder: string): string =>
  [
    '',
    `No mail server is set up (ALOFT_SMTP_URL), so this was not sent to ${to}:`,
    `  ${terminalText(subject)}`,
    link === undefined ? `  Read it in ${folder}` : `  ${link}`,
    '',
    '',
  ].join('\n')

/** Puts every mail into a folder as a file that mail programs open, for installations without a mail server. */
export function createOutboxMailer({ folder, from, clock = systemClock, tell }: OutboxOptions): Mailer {
  const compose = createCompose(from)
  const outbox = resolve(folder)
  // One after the other: two sends of one id at the same moment would each find no earlier file.
  let last: Promise<void> = Promise.resolve()

  const write = async (message: Buffer, id: string, now: number): Promise<void> => {
    await makePrivateFolder(outbox)
    const names = await readdir(outbox)
    const earlier = names.find((name) => idOf(name) === id)
    const path = join(outbox, earlier ?? fileName(now, id))
    const temporary = temporaryName(path)
    await writePrivateFile(temporary, message)
    try {
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(outbox)
    const oldest = fileName(now - KEPT, '')
    const old = names.filter((name) => idOf(name) !== undefined && name !== earlier && name < oldest)
    // The mail is there, whatever becomes of these.
    for (const name of old) await rm(join(outbox, name)).catch(() => {})
  }

  return {
    async send(mail, id) {
      const now = clock.now()
      const message = await new MailComposer(compose(mail, id, now)).compile().build()
      const written = last.then(() => write(message, id, now))
      last = written.catch(() => {})
      await written
      tell?.(summaryOf(mail, outbox))
    },
    close() {},
  }
}
