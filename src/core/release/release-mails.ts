import { noticeMail } from '../mail/notice-mail.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Project } from '../project/project.ts'
import type { Release } from './release.ts'

/** Tells somebody that the platform has taken a release back, or lets it stand. */
export function releaseMail(
  to: string,
  { id, ownerId, name }: Pick<Project, 'id' | 'ownerId' | 'name'>,
  { state, reason, canaryHost }: Release,
  baseUrl: string,
): Mail {
  const project = strangerText(name)
  const isBack = state === 'ABORTED'
  return noticeMail(to, {
    subject: `The release of ${project} ${isBack ? 'was rolled back' : 'is paused'}`,
    says: [
      isBack
        ? `All visitors of ${project} get the previous deployment again. ${canaryHost} performed worse:`
        : `The share of ${project} visitors on the new deployment stays as it is until you decide. ${canaryHost} performed worse:`,
      reason ?? '',
    ],
    button: { label: 'View the release', link: `${baseUrl}/a/${ownerId}/projects/${id}` },
  })
}
