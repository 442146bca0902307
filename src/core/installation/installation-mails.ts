import { noticeMail } from '../mail/notice-mail.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Installation, ScopeChange } from './installation.ts'
import { scopeList } from './scope-change.ts'

interface InstallationMail {
  readonly to: string
  readonly application: string
  readonly installation: Installation
  readonly baseUrl: string
}

const pageOf = ({ installation, baseUrl }: InstallationMail): string =>
  `${baseUrl}/a/${installation.ownerId}/integrations/${installation.id}`

/** Asks somebody to agree to what an application wants to do besides. */
export function moreScopesMail(about: InstallationMail, { added, upgraded, note }: ScopeChange): Mail {
  const application = strangerText(about.application)
  const wanted = [...scopeList(added), ...scopeList(upgraded)].join(', ')
  return noticeMail(about.to, {
    subject: `${application} requests more access`,
    says: [
      `The integration "${application}", which is installed in your account, requests: ${wanted}.`,
      ...(note === null ? [] : [`Its note: ${strangerText(note, 200)}`]),
      'Until you approve, it keeps the access it has.',
    ],
    button: { label: 'Review the request', link: pageOf(about) },
  })
}

/** Asks an OWNER to take over what somebody left behind. */
export function disabledMail(about: InstallationMail): Mail {
  const application = strangerText(about.application)
  return noticeMail(about.to, {
    subject: `${application} was disabled`,
    says: [
      `The integration "${application}" was disabled because the person who installed it left the team.`,
      'To keep it, take it over within 30 days. Otherwise it is removed automatically.',
    ],
    button: { label: 'Open the integration', link: pageOf(about) },
  })
}
